import { describe, expect, it } from 'vitest';
import { HeadersCache } from '../../../../../src/adapters/wire/agent-frames/headers-cache.js';

const firstId = '6f6b5a0e-0001';
const secondId = '6f6b5a0e-0002';

const read = (known: HeadersCache, object: string) => known.read(Buffer.from(`${object}}`), 1);

const withId = (members: string, id: string): string => `{${members},"x-correlation-id":["${id}"]}`;

describe('an object of headers', () => {
  it('is read, and read again with another id', () => {
    const known = new HeadersCache();
    const thirdId = '6f6b5a0e-0003';
    const members = String.raw`"Host":["a.test"],"forwarded":["host=\"a.test\"","é"]`;
    const fields = ['host', 'a.test', 'forwarded', 'host="a.test"', 'forwarded', 'é'];
    for (const id of [firstId, secondId, thirdId, firstId]) {
      expect(read(known, withId(members, id))).toEqual([...fields, 'x-correlation-id', id]);
    }
  });

  it('is not changed by who got it before', () => {
    const known = new HeadersCache();
    const ids = [firstId, secondId, firstId, secondId];
    const lists = ids.map((id) => read(known, withId('"a":["b"]', id)));
    expect(lists.map((list) => list?.at(-1))).toEqual(ids);
  });

  it('has the id in its place where a member of that name stands in front of others', () => {
    const known = new HeadersCache();
    for (const id of [firstId, secondId, firstId, secondId]) {
      const fields = read(known, withId('"x-correlation-id":["c"],"a":["b"]', id));
      expect(fields).toEqual(['x-correlation-id', id, 'a', 'b']);
    }
  });

  it('is the same list from the second time on where it ends with no id', () => {
    const known = new HeadersCache();
    expect(read(known, '{"a":["b"]}')).toEqual(['a', 'b']);
    expect(read(known, '{"a":["b"]}')).toBe(read(known, '{"a":["b"]}'));
    expect(read(known, '{}')).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['ends where an id follows', '{"a":["b"]}', '{"a":["b"]}},"x-correlation-id":["6f6b5a0e-0001"]}'],
    ['goes on behind the id', withId('"a":["b"]', firstId), '{"a":["b"]'],
    ['is closed before the id', withId('"a":["b"]', firstId), withId('"a":["b"]},"method":{"a":["b"]', firstId)],
    ['ends within a text', withId('"a":["b"]', firstId), withId('"a":["b', firstId)],
    ['ends with a backslash', withId('"a":["b"]', firstId), withId('"a":["b\\', firstId)],
    ['has an array within the id', withId('"a":["b"]', firstId), withId('"a":["b"]', '1"],["2')],
    ['has a value that is no array', '{"a":["b"]}', '{"a":"b"}'],
    ['is none', '{"a":["b"]}', '{"a":["b"]'],
  ])('is none that %s, known as its beginning may be', (_case, before, then) => {
    const known = new HeadersCache();
    for (let time = 0; time < 2; time += 1) expect(read(known, before)).not.toBeNull();
    for (let time = 0; time < 3; time += 1) expect(read(known, then)).toBeNull();
    expect(read(known, before)).not.toBeNull();
  });
});
