import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeZlibInflater } from '../../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import { InflationError } from '../../../../../src/application/ports/gateway/body-inflater.js';
import { BodyReadError } from '../../../../../src/application/ports/gateway/body-source.js';
import { bodyOctets, ScriptedBody } from '../../../../support/gateway/scripted-body.js';

const coders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;
const codings = Object.keys(coders) as (keyof typeof coders)[];
const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(4_000));

const octetsOf = (coded: Uint8Array): Uint8Array[] => [...coded].map((octet) => Uint8Array.of(octet));

describe.each(codings)('a body in %s', (coding) => {
  const coded = coders[coding](text);
  const inflate = (...pieces: (Uint8Array | null)[]) => nodeZlibInflater.inflate(new ScriptedBody(pieces), coding);

  it('is inflated, however it is cut', async () => {
    expect((await bodyOctets(inflate(coded))).equals(text)).toBe(true);
    const short = text.subarray(0, 50);
    expect(await bodyOctets(inflate(...octetsOf(coders[coding](short))))).toEqual(short);
    expect((await bodyOctets(inflate(new Uint8Array(0), coded, new Uint8Array(0)))).equals(text)).toBe(true);
  });

  it('comes in pieces of at most 64 KiB', async () => {
    const body = inflate(coders[coding](Buffer.alloc(5_000_000)));
    let octets = 0;
    for (let piece = await body.read(); piece !== null; piece = await body.read()) {
      expect(piece.length).toBeLessThanOrEqual(65_536);
      octets += piece.length;
    }
    expect(octets).toBe(5_000_000);
    expect(await body.read()).toBeNull();
  });

  it('that has not one octet has none afterwards', async () => {
    expect(await bodyOctets(inflate())).toHaveLength(0);
  });

  it.each([
    ['cut short', [coded.subarray(0, -1)]],
    ['followed by something', [coded, Buffer.from('x')]],
    ['followed by something in one piece', [Buffer.concat([coded, Buffer.from('x')])]],
    ['followed by zeros', [coded, Buffer.alloc(9)]],
    ['no such thing', [Buffer.from('plain text, which is no coded body at all')]],
    ['damaged', [Buffer.concat([coded.subarray(0, 20), Buffer.from('????????'), coded.subarray(28)])]],
  ])('that is %s is malformed', async (_, pieces) => {
    await expect(bodyOctets(inflate(...pieces))).rejects.toBeInstanceOf(InflationError);
  });

  it('fails as its source does', async () => {
    const failure = bodyOctets(inflate(coded.subarray(0, 12), null));
    await expect(failure).rejects.toMatchObject({ code: 'aborted' });
    await expect(failure).rejects.not.toBeInstanceOf(InflationError);
  });

  it('is read no further than it has to be', async () => {
    const source = new ScriptedBody([coded, null]);
    const body = nodeZlibInflater.inflate(source, coding);
    expect((await body.read())?.length).toBeGreaterThan(0);
    expect(source.reads).toBe(1);
  });

  it('ends for its reader when it is cancelled, and so does its source', async () => {
    const source = new ScriptedBody([coded]);
    const body = nodeZlibInflater.inflate(source, coding);
    await body.read();
    body.cancel();
    await expect(body.read()).rejects.toBeInstanceOf(BodyReadError);
    expect(source.isCancelled).toBe(true);
  });
});

describe('what is not one member or format alone', () => {
  it('is read where gzip has several members, and refused where deflate lacks its wrapper', async () => {
    const twice = Buffer.concat([gzipSync('one '), gzipSync('two')]);
    expect((await bodyOctets(nodeZlibInflater.inflate(new ScriptedBody([twice]), 'gzip'))).toString()).toBe('one two');
    const raw = nodeZlibInflater.inflate(new ScriptedBody([deflateRawSync(text)]), 'deflate');
    await expect(bodyOctets(raw)).rejects.toBeInstanceOf(InflationError);
  });
});
