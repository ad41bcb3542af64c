import { once } from 'node:events';
import {
  type BrotliDecompress,
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  gunzipSync,
} from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { CompressionPlaces } from '../../../../../src/adapters/outbound/node-zlib-compressor/compression-places.js';
import { NodeZlibCompressor } from '../../../../../src/adapters/outbound/node-zlib-compressor/node-zlib-compressor.js';
import { BodyReadError, type BodySource } from '../../../../../src/application/ports/gateway/body-source.js';
import { noHeaders } from '../../../../../src/domain/http/header-list.js';
import { bodyOctets, ScriptedBody } from '../../../../support/gateway/scripted-body.js';

const decoders = { gzip: gunzipSync, br: brotliDecompressSync } as const;
const codings = ['gzip', 'br'] as const;
const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(4_000));

/** A body that pauses until the test goes on. */
class PausingBody implements BodySource {
  readonly declaredLength = null;
  isCancelled = false;
  #waiting: ((piece: Uint8Array | null) => void) | null = null;
  #broken: ((error: Error) => void) | null = null;

  read(): Promise<Uint8Array | null> {
    return new Promise((resolve, reject) => {
      this.#waiting = resolve;
      this.#broken = reject;
    });
  }

  give(piece: string | null): void {
    this.#waiting?.(piece === null ? null : Buffer.from(piece));
  }

  break(): void {
    this.#broken?.(new BodyReadError('aborted', 'the upstream went away'));
  }

  trailers(): readonly string[] {
    return noHeaders;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

const places = new CompressionPlaces(3);
const compressor = new NodeZlibCompressor(places);
const compress = (body: BodySource, coding: (typeof codings)[number]): BodySource => {
  const compressed = compressor.compress(body, coding);
  if (compressed === null) throw new Error('there is no place');
  return compressed;
};

afterEach(() => {
  expect(places.bodies).toBe(0);
});

describe.each(codings)('a body in %s', (coding) => {
  const decoded = (octets: Uint8Array): Buffer => decoders[coding](octets);
  const decoder = () => (coding === 'br' ? createBrotliDecompress() : createGunzip()) as BrotliDecompress;

  it('is compressed whole', () => {
    for (const octets of [text, text.subarray(0, 1), Buffer.alloc(40_000), text.subarray(0, 10_000)])
      expect(decoded(compressor.compressWhole(octets, coding)).equals(octets)).toBe(true);
  });

  it('is compressed while it is read, however it is cut', async () => {
    const octets = [...text.subarray(0, 200)].map((octet) => Uint8Array.of(octet));
    const cuts = [[text], octets, [new Uint8Array(0), text, new Uint8Array(0)], [], [Buffer.alloc(1_000_000, 'ab')]];
    for (const pieces of cuts) {
      const coded = await bodyOctets(compress(new ScriptedBody(pieces), coding));
      expect(decoded(coded).equals(Buffer.concat(pieces))).toBe(true);
      expect(coded.length).toBeLessThan(Math.max(400, text.length / 10));
    }
  });

  it('is read no further than its reader needs', async () => {
    const noise = Array.from({ length: 100 }, () => Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))));
    const source = new ScriptedBody(noise);
    const body = compress(source, coding);
    const piece = await body.read();
    expect(piece?.length).toBeLessThanOrEqual(32_768);
    expect(source.reads).toBeLessThan(20);
    body.cancel();
  });

  it('delivers what it has when its source pauses', async () => {
    const source = new PausingBody();
    const body = compress(source, coding);
    const reader = decoder();
    let text = '';
    reader.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    const relay = async (): Promise<void> => {
      for (let piece = await body.read(); piece !== null; piece = await body.read()) reader.write(piece);
      reader.end();
    };
    const relayed = relay();
    for (const line of ['one', 'two', 'three']) {
      await new Promise(setImmediate);
      source.give(line);
      while (!text.endsWith(line)) await once(reader, 'data');
    }
    source.give(null);
    await relayed;
    await once(reader, 'close');
    expect(text).toBe('onetwothree');
  });

  it('fails as its source does', async () => {
    await expect(bodyOctets(compress(new ScriptedBody([text, null]), coding))).rejects.toMatchObject({
      code: 'aborted',
    });
    const source = new PausingBody();
    const read = compress(source, coding).read();
    await Promise.resolve();
    source.break();
    await expect(read).rejects.toMatchObject({ code: 'aborted' });
  });

  it('ends for its reader when it is cancelled, and so does its source', async () => {
    const source = new ScriptedBody([text]);
    const body = compress(source, coding);
    const read = body.read();
    body.cancel();
    await expect(read).rejects.toBeInstanceOf(BodyReadError);
    await expect(body.read()).rejects.toBeInstanceOf(BodyReadError);
    expect(source.isCancelled).toBe(true);
    body.cancel();
  });
});

describe('bodies beyond the limit', () => {
  it('are refused until another ends, fails or is cancelled', async () => {
    const bodies = Array.from({ length: 3 }, () => compress(new ScriptedBody([text]), 'gzip'));
    expect(compressor.compress(new ScriptedBody([text]), 'gzip')).toBeNull();
    await bodyOctets(bodies[0] as BodySource);
    const broken = compress(new ScriptedBody([null]), 'br');
    expect(compressor.compress(new ScriptedBody([text]), 'br')).toBeNull();
    await expect(broken.read()).rejects.toBeInstanceOf(BodyReadError);
    const last = compress(new ScriptedBody([text]), 'br');
    for (const body of [...bodies, last]) body.cancel();
  });

  it('are compressed side by side on a limited number of threads', async () => {
    const all = Array.from({ length: 3 }, () => bodyOctets(compress(new ScriptedBody(Array(40).fill(text)), 'gzip')));
    for (const coded of await Promise.all(all)) expect(gunzipSync(coded)).toHaveLength(40 * text.length);
  });
});
