import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compressionCodings } from '../../../../../src/domain/gateway/route-transforms/accepted-coding.js';
import { compressedHead } from '../../../../../src/domain/gateway/route-transforms/compressed-head.js';
import { decideCompression } from '../../../../../src/domain/gateway/route-transforms/compression-rules.js';

const rules = fc.record({
  types: fc.uniqueArray(fc.constantFrom('text/*', '*/*', 'application/*', 'application/json', 'application/grpc'), {
    minLength: 1,
  }),
  minOctets: fc.integer({ min: 0, max: 3_000 }),
  encodings: fc.shuffledSubarray([...compressionCodings], { minLength: 1 }),
});
const request = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS'),
  httpVersion: fc.constantFrom('1.0', '1.1', '2.0'),
  headers: fc
    .constantFrom('gzip', 'br, gzip;q=0', '*', 'identity;q=0, *', 'zstd')
    .map((value) => ['Accept-Encoding', value]),
});
const field = fc.constantFrom(
  ['Content-Type', 'text/event-stream'],
  ['Content-Type', 'application/grpc+json'],
  ['Content-Type', 'application/json'],
  ['content-type', 'text/html; charset=utf-8'],
  ['Content-Encoding', 'br'],
  ['content_encoding', 'zstd'],
  ['Cache-Control', 'no-transform'],
  ['Content-Range', 'bytes 0-1/2'],
  ['Repr-Digest', 'sha-256=:x:'],
  ['Content-MD5', 'x'],
  ['ETag', '"a"'],
  ['ETag', 'W/"a"'],
  ['ETag', 'a'],
  ['Vary', 'Origin'],
  ['Accept-Ranges', 'bytes'],
  ['Content-Length', '2000'],
  ['X-Other', 'no-transform'],
);
const response = fc.record({
  status: fc.constantFrom(200, 201, 204, 205, 206, 301, 304, 404, 416, 500),
  headers: fc.array(field, { maxLength: 6 }).map((fields) => fields.flat()),
});
const octets = fc.option(fc.integer({ min: 0, max: 6_000 }), { nil: null });

const has = (headers: readonly string[], name: RegExp, value = /./): boolean =>
  headers.some((text, at) => at % 2 === 0 && name.test(text) && value.test(headers[at + 1] as string));

describe('compression', () => {
  it('never touches the body of what is excluded', () => {
    fc.assert(
      fc.property(rules, request, response, octets, (policy, asked, answer, length) => {
        const decided = decideCompression(policy, asked, answer, length);
        if (decided.kind !== 'compress') return;
        const { headers, status } = answer;
        expect([204, 205, 206, 304]).not.toContain(status);
        expect(asked.method).not.toBe('HEAD');
        expect(asked.httpVersion).not.toBe('1.0');
        expect(length === null || length >= policy.minOctets).toBe(true);
        expect(has(headers, /^content.(encoding|range|md5)$|^repr-digest$/i)).toBe(false);
        expect(has(headers, /^cache-control$/i, /no-transform/)).toBe(false);
        const first = headers.findIndex((name, at) => at % 2 === 0 && /^content-type$/i.test(name));
        expect(first).toBeGreaterThanOrEqual(0);
        expect(headers[first + 1]).not.toMatch(/event-stream|grpc/);
        expect(policy.encodings).toContain(decided.coding);
      }),
    );
  });

  it('leaves a head with one coding, Vary, and neither a strong tag nor a wrong length', () => {
    fc.assert(
      fc.property(response, fc.constantFrom(...compressionCodings), octets, ({ headers }, coding, length) => {
        const changed = compressedHead(headers, coding, length);
        const of = (name: string) =>
          changed.filter((_, at) => at % 2 === 1 && (changed[at - 1] as string).toLowerCase() === name);
        expect(of('content-encoding')).toEqual([coding]);
        expect(of('content-length')).toEqual(length === null ? [] : [String(length)]);
        expect(of('vary').join()).toContain('Accept-Encoding');
        expect(of('accept-ranges')).toEqual([]);
        for (const tag of of('etag')) expect(tag).toMatch(/^W\/"/);
      }),
    );
  });
});
