import { describe, expect, it } from 'vitest';
import {
  compressedHead,
  headOfCompressed,
  trailersOfCompressed,
  varyingByEncoding,
} from '../../../../../src/domain/gateway/route-transforms/compressed-head.js';

describe('the head of a compressed response', () => {
  it('has its coding and the length of the coded body', () => {
    const upstream = ['Content-Length', '900', 'X-A', '1', 'ETag', '"v1"', 'Accept-Ranges', 'bytes'];
    expect(compressedHead(upstream, 'gzip', 300)).toEqual([
      ...['X-A', '1', 'ETag', 'W/"v1"', 'Vary', 'Accept-Encoding', 'Content-Encoding', 'gzip', 'Content-Length', '300'],
    ]);
  });

  it('has no length if that is unknown', () => {
    expect(compressedHead(['content-length', '9', 'content-encoding', 'identity'], 'br', null)).toEqual([
      ...['Vary', 'Accept-Encoding', 'Content-Encoding', 'br'],
    ]);
  });

  it.each([
    ['W/"v1"', 'W/"v1"'],
    ['""', 'W/""'],
  ])('turns the tag %s into %s', (before, after) => {
    expect(headOfCompressed(['etag', before])).toEqual(['etag', after, 'Vary', 'Accept-Encoding']);
  });

  it('drops a malformed tag', () => {
    expect(headOfCompressed(['ETag', 'v1'])).toEqual(['Vary', 'Accept-Encoding']);
  });
});

describe('Vary', () => {
  it.each([
    [
      ['Vary', 'Origin'],
      ['Vary', 'Origin, Accept-Encoding'],
    ],
    [
      ['vary', 'Origin', 'X-A', '1', 'Vary', 'Cookie'],
      ['Vary', 'Origin, Cookie, Accept-Encoding', 'X-A', '1'],
    ],
    [
      ['Vary', 'accept-encoding, Origin'],
      ['Vary', 'accept-encoding, Origin'],
    ],
    [
      ['Vary', '*'],
      ['Vary', '*'],
    ],
    [[], ['Vary', 'Accept-Encoding']],
  ])('of %s becomes %s', (before, after) => {
    expect(varyingByEncoding(before)).toEqual(after);
  });
});

describe('the trailers of a compressed response', () => {
  it('hold no digest of what was compressed', () => {
    expect(
      trailersOfCompressed(['X-Sum', '1', 'content_digest', 'a', 'Repr-Digest', 'b', 'Server-Timing', 'c']),
    ).toEqual([...['X-Sum', '1', 'Server-Timing', 'c']]);
  });
});
