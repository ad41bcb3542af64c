import { describe, expect, it } from 'vitest';
import { HeaderJsonCache } from '../../../../../src/adapters/wire/agent-frames/header-json-cache.js';
import { JsonOctets } from '../../../../../src/adapters/wire/agent-frames/json-octets.js';

const written = (known: HeaderJsonCache, headers: readonly string[]): unknown => {
  const into = new JsonOctets();
  known.add(into, headers);
  return JSON.parse(Buffer.from(into.view()).toString());
};

describe('KnownFields', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['values that begin otherwise', ['a', 'wxyz', 'b', 'c'], ['a', 'vxyz', 'b', 'c']],
    ['names', ['a', 'wxyz', 'b', 'c'], ['b', 'wxyz', 'a', 'c']],
    ['a last header', ['a', 'b'], ['a', 'b', 'x-correlation-id', 'c']],
    ['no last header', ['a', 'b', 'x-correlation-id', 'c'], ['a', 'b']],
    ['ids', ['a', 'b', 'x-correlation-id', 'c'], ['a', 'b', 'x-correlation-id', 'd']],
  ])('tells lists apart that differ in nothing but their %s', (_case, first, second) => {
    const known = new HeaderJsonCache();
    const asWritten = (headers: readonly string[]) =>
      Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, [headers[at + 1]]]] : [])));
    for (const headers of [first, first, first, second, first, second, second, second, first]) {
      expect(written(known, headers)).toEqual(asWritten(headers));
    }
  });

  it('writes the values of one name together', () => {
    const known = new HeaderJsonCache();
    for (let time = 0; time < 3; time += 1) {
      expect(written(known, ['a', '1', 'b', '2', 'a', '3'])).toEqual({ a: ['1', '3'], b: ['2'] });
      expect(written(known, ['x-correlation-id', '1', 'x-correlation-id', '2'])).toEqual({
        'x-correlation-id': ['1', '2'],
      });
    }
  });
});
