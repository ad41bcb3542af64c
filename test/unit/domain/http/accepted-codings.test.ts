import { describe, expect, it } from 'vitest';
import { withReadableCodings } from '../../../../src/domain/http/accepted-codings.js';
import { allHeaders } from '../../../../src/domain/http/header-list.js';

const offered = (...values: string[]): readonly string[] =>
  allHeaders(withReadableCodings(values.flatMap((value) => ['accept-encoding', value])), 'accept-encoding');

describe('what a response may come in where it is to be read', () => {
  it.each([
    ['gzip, deflate, br', 'gzip, deflate, br'],
    ['gzip, deflate, br, zstd', 'gzip, deflate, br'],
    ['zstd;q=1.0 , X-GZIP ; q=0.5,Identity;q=0', 'X-GZIP ; q=0.5, Identity;q=0'],
    ['zstd, dcb', 'identity'],
    ['', 'identity'],
    ['*', 'gzip, deflate, br, identity'],
    ['zstd, *;q=0.1', 'gzip;q=0.1, deflate;q=0.1, br;q=0.1, identity;q=0.1'],
    ['br;q=0, *', 'br;q=0, gzip, deflate, identity'],
    ['gzip, *;q=0', 'gzip, deflate;q=0, br;q=0, identity;q=0'],
    ['gzip;q=0, zstd', 'gzip;q=0'],
  ])('is, of %j, %j', (accepted, left) => {
    expect(offered(accepted)).toEqual([left]);
  });

  it('is no coding where the client says nothing, which lets an upstream choose any', () => {
    expect(withReadableCodings(['Host', 'a'])).toEqual(['Host', 'a', 'Accept-Encoding', 'identity']);
  });

  it('is said in one field', () => {
    expect(offered('gzip', 'zstd, br')).toEqual(['gzip, br']);
  });

  it('is left as it is where all of it can be read', () => {
    const headers = ['Accept-Encoding', 'br;q=1.0', 'accept-encoding', 'gzip'];
    expect(withReadableCodings(headers)).toBe(headers);
  });
});
