import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alwaysOwned, ownedHeaders, stripOwned } from '../../../../src/domain/http/owned-headers.js';

const owned = ownedHeaders([...alwaysOwned, 'User', '9-Lives']);
const ours = ['x-user-id', 'x-auth-method', 'x-auth-claim-role', 'x-client-cert', 'client-cert', 'user', '9-lives'];

/** Other spellings that an upstream may read as the same name. */
const disguised = (name: string) =>
  fc
    .array(fc.tuple(fc.boolean(), fc.constantFrom('-', '_', '.', '!')), {
      minLength: name.length,
      maxLength: name.length,
    })
    .map((choices) =>
      [...name]
        .map((letter, index) => {
          const [upper, separator] = choices[index] ?? [false, '-'];
          if (letter === '-') return separator;
          return upper ? letter.toUpperCase() : letter;
        })
        .join(''),
    );
const forged = fc.tuple(fc.constantFrom(...ours).chain(disguised), fc.constant('forged'));
const honest = fc.tuple(
  fc.constantFrom('Host', 'X-User', 'Accept', 'X-Auth', 'Cookie', 'Username'),
  fc.constant('honest'),
);

describe('stripOwned', () => {
  it('removes every disguise of an owned name from any header soup, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(forged, honest), { maxLength: 15 }), (fields) => {
        expect(stripOwned(fields.flat(), owned)).toEqual(fields.filter(([, value]) => value === 'honest').flat());
      }),
      { numRuns: 2000 },
    );
  });
});
