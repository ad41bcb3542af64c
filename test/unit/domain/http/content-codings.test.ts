import { describe, expect, it } from 'vitest';
import { contentCodingsOf, withoutContentEncoding } from '../../../../src/domain/http/content-codings.js';

describe('the content codings of a message', () => {
  it.each([
    [[], []],
    [['Content-Encoding', ''], []],
    [['Content-Encoding', 'identity'], []],
    [['content-encoding', 'GZIP'], ['gzip']],
    [['Content-Encoding', 'x-gzip'], ['gzip']],
    [
      ['Content-Encoding', 'deflate , br'],
      ['deflate', 'br'],
    ],
    [
      ['Content-Encoding', 'gzip', 'Host', 'a', 'Content-Encoding', 'identity, br'],
      ['gzip', 'br'],
    ],
    [
      ['Content-Encoding', 'br,br,br,br'],
      ['br', 'br', 'br', 'br'],
    ],
    [['Content_Encoding', 'gzip'], ['gzip']],
    [['X-Content-Encoding', 'gzip'], []],
  ])('of %j are %j', (headers, codings) => {
    expect(contentCodingsOf(headers)).toEqual(codings);
  });

  it.each(['compress', 'zstd', 'gzip, zstd', 'gzip;q=1', 'br,br,br,br,br', '"gzip"', 'constructor', '__proto__'])(
    'are not known where they are %s',
    (value) => {
      expect(contentCodingsOf(['Content-Encoding', value])).toBeNull();
    },
  );

  it('go with every spelling of the field', () => {
    const headers = ['Host', 'a', 'Content-Encoding', 'gzip', 'CONTENT_ENCODING', 'br', 'X', 'Content-Encoding'];
    expect(withoutContentEncoding(headers)).toEqual(['Host', 'a', 'X', 'Content-Encoding']);
  });
});
