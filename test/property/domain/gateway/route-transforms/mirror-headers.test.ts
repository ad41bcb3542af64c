import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  mirroredCredentialNames,
  mirroredHeaders,
} from '../../../../../src/domain/gateway/route-transforms/mirror-headers.js';
import { alwaysOwned, ownedHeaders } from '../../../../../src/domain/http/owned-headers.js';

const removed = [ownedHeaders([...mirroredCredentialNames, 'X-Team-Key']), ownedHeaders(alwaysOwned)];
const secrets = [...mirroredCredentialNames, 'X-Team-Key', ...alwaysOwned.map((name) => name.replace('*', 'Email'))];

/** A name in any case, with `_` or another separator in place of each hyphen: CGI cannot distinguish them. */
const spelled = fc
  .tuple(
    fc.constantFrom(...secrets),
    fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    fc.constantFrom('-', '_', '.'),
  )
  .map(([name, upper, separator]) =>
    [...name]
      .map((letter, index) => (upper[index] === true ? letter.toUpperCase() : letter.toLowerCase()))
      .join('')
      .replaceAll('-', separator),
  );
const harmless = fc.constantFrom('Host', 'Accept', 'X-Tenant', 'Content-Type', 'Cookies', 'X-Author', 'X-Mirrored');
const fields = fc.array(fc.tuple(fc.oneof(spelled, harmless), fc.constantFrom('a', 'b', '0')), { maxLength: 20 });

it('leaves no credential in any spelling, every other field in its order, and one mark', () => {
  fc.assert(
    fc.property(fields, (each) => {
      const copy = mirroredHeaders(each.flat(), removed);
      const others = each.filter(([name]) =>
        ['Host', 'Accept', 'X-Tenant', 'Content-Type', 'Cookies', 'X-Author'].includes(name),
      );
      const pairs = Array.from({ length: copy.length / 2 }, (_, index) => copy.slice(index * 2, index * 2 + 2));
      expect(pairs.filter(([name]) => name !== 'X-Mirrored')).toEqual(others);
      expect(pairs.filter(([name]) => name === 'X-Mirrored')).toEqual([['X-Mirrored', '1']]);
    }),
    { numRuns: 500 },
  );
});

it('keeps every field if nothing is removed', () => {
  fc.assert(
    fc.property(fields, (each) => {
      const plain = each.filter(([name]) => name !== 'X-Mirrored').flat();
      expect(mirroredHeaders(plain, [])).toEqual([...plain, 'X-Mirrored', '1']);
    }),
  );
});
