import { describe, expect, it } from 'vitest';
import { checkCodec } from '../../../../fuzz/codec/check-codec.js';
import type { Codec } from '../../../../fuzz/codec/codec.js';
import { printable } from '../../../../fuzz/findings.js';
import * as chunkedReader from '../../../../src/adapters/wire/http1/chunked-reader.js';
import * as headBuffer from '../../../../src/adapters/wire/http1/head-buffer.js';
import * as headFault from '../../../../src/adapters/wire/http1/head-fault.js';
import * as headLines from '../../../../src/adapters/wire/http1/head-lines.js';
import * as headText from '../../../../src/adapters/wire/http1/head-text.js';
import * as fieldList from '../../../../src/adapters/wire/http1/message-head.js';
import * as readRequestHead from '../../../../src/adapters/wire/http1/read-head.js';
import * as readResponseHead from '../../../../src/adapters/wire/http1/read-head.js';

const codec: Codec = {
  ...chunkedReader,
  ...fieldList,
  ...headBuffer,
  ...headFault,
  ...headLines,
  ...headText,
  ...readRequestHead,
  ...readResponseHead,
};

const seed = 9_112;
const cases = 12_000;

interface Run {
  readonly kinds: ReadonlyMap<string, number>;
  readonly findings: readonly string[];
}

/** Tries cases until one is found, or all are tried. */
const runCases = (tried: Codec): Run => {
  const kinds = new Map<string, number>();
  const findings: string[] = [];
  const heard = (kind: string): void => void kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  for (let index = 0; index < cases && findings.length === 0; index += 1) {
    const finding = checkCodec(tried, seed, index, heard);
    if (finding !== null) findings.push(`case ${index}: ${finding.what}: ${printable(finding.input)}`);
  }
  return { kinds, findings };
};

describe('the codec of HTTP/1.1', () => {
  it('reads bad messages alike however they are split, as a strict reader does, and writes what it has read', () => {
    const { kinds, findings } = runCases(codec);
    expect(findings).toEqual([]);
    // The inputs are neither all good nor all bad.
    expect(kinds.get('requests: between')).toBeGreaterThan(cases / 20);
    expect(kinds.size).toBeGreaterThan(20);
  });
});

describe('the cases', () => {
  const { headFaults, faultOf } = headFault;

  /** A codec that takes a head with this fault for one that ends where its fields do. */
  const blindTo = (fault: string): Codec => ({
    ...codec,
    readRequestHead: (octets, start, end, maxOctets) => {
      const reading = codec.readRequestHead(octets, start, end, maxOctets);
      if (reading >= 0 || faultOf(reading) !== fault) return reading;
      const blank = Buffer.from(octets.buffer, octets.byteOffset + start, end - start).indexOf('\r\n\r\n');
      return blank < 0 ? reading : blank + 4;
    },
  });

  it.each([
    ['writes sizes that end in LF', { ...codec, chunkStart: (octets: number) => `${octets.toString(16)}\n` }],
    ['writes a field more', { ...codec, lastChunk: () => '0\r\nX: y\r\n\r\n' }],
    [
      'throws',
      {
        ...codec,
        fieldList: () =>
          headFaults.map(() => {
            throw new Error('broken');
          }),
      },
    ],
    [
      'loses an octet between two reads',
      {
        ...codec,
        HeadBuffer: class extends headBuffer.HeadBuffer {
          override add(octets: Uint8Array, start: number, end: number): void {
            super.add(octets, start, Math.max(start, end - (end - start > 6 ? 1 : 0)));
          }
        },
      },
    ],
    ['takes lengths and codings together', blindTo('length_and_coding')],
    ['takes repeated lengths', blindTo('repeated_content_length')],
    ['takes folded lines', blindTo('obsolete_fold')],
    ['takes lines that end in LF', blindTo('invalid_line_end')],
  ])('find a codec that %s', (_, broken) => {
    expect(runCases(broken).findings).toHaveLength(1);
  });
});
