import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimBounds, maximumIdentityHeaders } from '../../../../../src/domain/agent/identity/bounded-headers.js';
import type { Identity } from '../../../../../src/domain/agent/identity/identity.js';
import { identityHeaders, removalOperations } from '../../../../../src/domain/agent/identity/identity-headers.js';
import { type Claims, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { alwaysOwned, omittedClaimsHeader, ownedHeaders } from '../../../../../src/domain/http/owned-headers.js';

const names = { userId: 'X-User-Id', authMethod: 'X-Auth-Method' };
const owned = ownedHeaders(alwaysOwned);
const canonical = (name: string) => name.toLowerCase().replaceAll('_', '-');

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\r\nX-User-Id: root', '\ud800', '%0d%0a', ' ', '\0'),
);
const key = fc.oneof(text, fc.constantFrom('sub', 'user-id', 'user_id', 'a', 'b', 'a-b', 'a_b', '__proto__', '\r\n'));
const { claims } = fc.letrec<{ claims: Claims; value: never }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double(),
    fc.bigInt(2n ** 53n, 2n ** 63n - 1n),
    fc.bigInt(2n ** 63n, 10n ** 400n).map((integer) => new SpelledNumber(String(integer))),
    fc.boolean(),
    fc.constant(null),
    fc.array(text),
    tie('claims'),
  ) as never,
  claims: fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
}));

const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const fieldValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

describe('identity headers', () => {
  it('are those of the mapping and of the forwarded claims only, for any claims', () => {
    const chosen = fc.uniqueArray(key, { maxLength: 4 });
    fc.assert(
      fc.property(claims, chosen, chosen, (some, forwardedClaims, mapped) => {
        const mapping = mapped.map((attribute, at) => ({ attribute, header: `X-Mapped-${at}` }));
        const identity: Identity = { method: 'oidc', userId: 'ann', claims: some, certificate: null };
        const told = identityHeaders(identity, { ...names, forwardedClaims }, mapping).operations.slice(2);
        for (const { name } of told) {
          const isMapped = mapping.some(({ header }) => header === name);
          const ofClaim = forwardedClaims.some((claim) =>
            name.startsWith(`X-Auth-Claim-${claim.replace(/[^!#$%&'*+\-.^_`|~0-9A-Za-z]/gu, '-')}`),
          );
          expect(isMapped || ofClaim || name === omittedClaimsHeader, name).toBe(true);
        }
        const none = identityHeaders(identity, { ...names, forwardedClaims: [] }).operations;
        expect(none).toHaveLength(2);
      }),
      { numRuns: 300 },
    );
  });

  it('are well-formed, bounded and unique for any claims', () => {
    fc.assert(
      fc.property(text, claims, fc.integer({ min: 1, max: 2_048 }), (userId, some, maxClaimBytes) => {
        const bounds = claimBounds(maxClaimBytes);
        const identity: Identity = { method: 'jwt', userId, claims: some, certificate: null };
        const { operations, leftOut } = identityHeaders(identity, names, [], bounds);
        const all = operations.filter((operation) => operation.kind === 'set');
        const set = all.filter(({ name }) => name !== omittedClaimsHeader);
        expect(all.length - set.length).toBe(leftOut.length === 0 ? 0 : 1);
        expect(all).toHaveLength(operations.length);
        expect(set.length).toBeLessThanOrEqual(maximumIdentityHeaders);
        expect(new Set(set.map(({ name }) => canonical(name))).size).toBe(set.length);
        for (const { name, value } of all) {
          expect(name).toMatch(fieldName);
          expect(value).toMatch(fieldValue);
        }
        for (const { value } of set.slice(2)) expect(value.length).toBeLessThanOrEqual(maxClaimBytes);
        const octets = set.slice(2).reduce((sum, { name, value }) => sum + name.length + value.length, 0);
        expect(octets).toBeLessThanOrEqual(bounds.totalOctets);
      }),
      { numRuns: 500 },
    );
  });

  it('distinguish different user ids', () => {
    const value = (userId: string) =>
      identityHeaders({ method: 'jwt', userId, claims: null, certificate: null }, names).operations[0];
    const wellFormed = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(wellFormed, wellFormed, (first, second) => {
        if (first !== second) expect(value(first)).not.toEqual(value(second));
      }),
      {
        numRuns: 500,
        examples: [
          ['a ', 'a'],
          ['%20', ' '],
          ['ä', 'a\u0308'],
          ['%C3%A4', 'ä'],
        ],
      },
    );
  });

  it('remove every client header with one of their names', () => {
    const spelling = fc
      .constantFrom(
        'x-user-id',
        'x-auth-method',
        'x-auth-claim-role',
        'x-auth-claim-',
        'x-client-cert-cn',
        'accept',
        'host',
      )
      .chain((name) =>
        fc.tuple(fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }), fc.boolean()).map(([upper, underscores]) => {
          const cased = [...name]
            .map((character, index) => (upper[index] ? character.toUpperCase() : character))
            .join('');
          return underscores ? cased.replaceAll('-', '_') : cased;
        }),
      );
    const soup = fc.array(fc.tuple(spelling, fc.string()), { maxLength: 12 });
    fc.assert(
      fc.property(soup, (fields) => {
        const removed = new Set(removalOperations(fields.flat(), owned).map(({ name }) => name));
        const left = fields.filter(([name]) => !removed.has(name)).map(([name]) => canonical(name));
        expect(left.filter((name) => name !== 'accept' && name !== 'host')).toEqual([]);
        expect(left).toHaveLength(fields.filter(([name]) => ['accept', 'host'].includes(name.toLowerCase())).length);
      }),
    );
  });
});
