import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutHopByHop } from '../../../../src/domain/http/field-traits.js';

const names = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
];
const others = ['host', 'x-a', 'x-b', 'accept', 'x-forwarded-for', 'authorization'];
const anyCase = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((upper) => [...name].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join(''));
const name = fc.constantFrom(...names, ...others).chain(anyCase);
const value = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.array(name, { maxLength: 4 }).map((options) => options.join(' , ')),
);
const soup = fc.array(fc.tuple(name, value), { maxLength: 12 });

describe('withoutHopByHop', () => {
  it('leaves every field that says who a client is, in any case, whatever Connection names', () => {
    const saysWho = fc.constantFrom(
      'forwarded',
      'true-client-ip',
      'x-client-ip',
      'x-cluster-client-ip',
      'x-forwarded',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-port',
      'x-forwarded-prefix',
      'x-forwarded-proto',
      'x-forwarded-scheme',
      'x-forwarded-server',
      'x-forwarded-ssl',
      'x-original-forwarded-for',
      'x-real-ip',
    );
    const claims = fc.array(saysWho.chain(anyCase), { maxLength: 6 });
    const options = fc.array(fc.oneof(saysWho, name).chain(anyCase), { maxLength: 8 });
    fc.assert(
      fc.property(claims, options, fc.boolean(), (claimed, named, isBefore) => {
        const fields = claimed.flatMap((claim) => [claim, '192.0.2.1']);
        const connection = ['Connection', named.join(', ')];
        expect(withoutHopByHop(isBefore ? [...connection, ...fields] : [...fields, ...connection])).toEqual(fields);
      }),
    );
  });

  it('leaves no hop-by-hop field in any soup, and keeps every other that Connection does not name, in order', () => {
    fc.assert(
      fc.property(soup, (fields) => {
        const result = withoutHopByHop(fields.flat());
        const left: [string, string][] = [];
        for (let index = 0; index < result.length; index += 2)
          left.push([result[index] ?? '', result[index + 1] ?? '']);
        for (const [field, text] of left) {
          if (field.toLowerCase() === 'te') expect(text).toBe('trailers');
          else expect(names).not.toContain(field.toLowerCase());
        }
        const named = fields
          .filter(([field]) => field.toLowerCase() === 'connection')
          .flatMap(([, text]) => text.split(',').map((option) => option.trim().toLowerCase()));
        const removable = ['x-a', 'x-b', 'accept'].filter((field) => named.includes(field));
        const expected = fields.filter(
          ([field]) => !names.includes(field.toLowerCase()) && !removable.includes(field.toLowerCase()),
        );
        expect(left.filter(([field]) => field.toLowerCase() !== 'te')).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
