import { describe, expect, it } from 'vitest';
import { interimOctets, isForClient, passableInterim } from '../../../../src/domain/http/returnable-fields.js';

const nobody = (): boolean => false;

describe('an interim response', () => {
  it.each([
    [99, false],
    [100, false],
    [101, false],
    [102, true],
    [103, true],
    [199, true],
    [200, false],
  ])('of status %i is for the client: %s', (status, expected) => {
    expect(isForClient(status)).toBe(expected);
  });

  it('keeps its fields as they are, in order', () => {
    const fields = ['Link', '</a>', 'link', '</b>', 'Content-Security-Policy', 'x', 'Location', '/c'];
    expect(passableInterim(fields, nobody)).toEqual(fields);
  });

  it.each([
    ['Connection', 'X-Hop'],
    ['X-Hop', '1'],
    ['Keep-Alive', 'timeout=5'],
    ['TE', 'trailers'],
    ['Upgrade', 'h2c'],
    ['Transfer-Encoding', 'chunked'],
    ['Transfer_Encoding', 'chunked'],
    ['Content-Length', '5'],
    ['Content_Length', '5'],
    ['X-Correlation-Id', 'forged'],
    ['X_Correlation_Id', 'forged'],
    ['RateLimit', '"a";r=1'],
    ['RateLimit-Policy', '"a";q=1'],
  ])('loses %s', (name, value) => {
    const fields = ['Link', '</a>', 'Connection', 'X-Hop', name, value, 'X-A', 'b'];
    expect(passableInterim(fields, nobody)).toEqual(['Link', '</a>', 'X-A', 'b']);
  });

  it('loses what is settled for the response, in any spelling', () => {
    const fields = ['X-Frame-Options', 'a', 'x_frame_options', 'b', 'Link', '</a>'];
    expect(passableInterim(fields, (name) => name === 'x-frame-options')).toEqual(['Link', '</a>']);
  });

  it('counts its octets, and something where it has none', () => {
    expect(interimOctets([])).toBe(64);
    expect(interimOctets(['Link', '</a>', 'X', ''])).toBe(64 + 4 + 4 + 32 + 1 + 32);
  });
});
