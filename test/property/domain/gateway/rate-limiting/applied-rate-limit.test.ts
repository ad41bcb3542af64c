import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import {
  type AppliedRateLimit,
  appliedRateLimits,
  bucketKey,
  bucketSpace,
} from '../../../../../src/domain/gateway/rate-limiting/applied-rate-limit.js';
import type { RateLimitKey } from '../../../../../src/domain/gateway/rate-limiting/rate-limit-policy.js';

const noRates = { global: null, perClient: null, perRoute: null };
const limit = { requestsPerSecond: 1, burst: 1 };
const digest = (text: string): string => new HmacSecretDigest().sha256Hex(text).slice(0, 32);

const policyOf = (id: string, name: string | null, key: RateLimitKey): AppliedRateLimit =>
  appliedRateLimits(noRates, { id, policy: { name, limit, key } })[0] as AppliedRateLimit;

interface Request {
  readonly address: string;
  readonly userId: string | null;
}

const bucketOf = (applied: AppliedRateLimit, { address, userId }: Request): string => {
  const subject = { clientAddress: address, path: '/', headerValue: userId, userId };
  return `${bucketSpace(applied, subject)}\n${bucketKey(applied, subject, digest)}`;
};

const address = fc.oneof(fc.ipV4(), fc.ipV6());
const otherKeys = ['user', 'address', 'none', 'client_ip', 'path', 'named', 'route-policy'];
/** Texts that resemble addresses, digests, and keys of other buckets. */
const userId = fc.oneof(
  fc.string({ minLength: 1 }),
  address,
  address.map((text) => `address ${text}`),
  fc.constantFrom(...otherKeys),
  fc.string({ minLength: 1 }).map(digest),
);
const name = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,8}$/);
const key = fc.oneof(
  fc.constantFrom<RateLimitKey>({ kind: 'client_ip' }, { kind: 'path' }, { kind: 'route' }, { kind: 'user' }),
  fc.constantFrom('a', 'b', 'user').map((header): RateLimitKey => ({ kind: 'header', name: header })),
);

it('never gives a user and an address the same bucket', () => {
  fc.assert(
    fc.property(name, fc.option(name), userId, address, address, (id, limitName, user, from, other) => {
      const applied = policyOf(id, limitName, { kind: 'user' });
      const ofUser = bucketOf(applied, { address: from, userId: user });
      expect(ofUser).not.toBe(bucketOf(applied, { address: other, userId: null }));
      expect(ofUser).toBe(bucketOf(applied, { address: other, userId: user }));
    }),
  );
});

it('gives two users different buckets', () => {
  fc.assert(
    fc.property(userId, userId, address, (one, another, from) => {
      const applied = policyOf('api', null, { kind: 'user' });
      const isSame =
        bucketOf(applied, { address: from, userId: one }) === bucketOf(applied, { address: from, userId: another });
      expect(isSame).toBe(one === another);
    }),
  );
});

it('shares a namespace only between routes with the same named limit and key', () => {
  const policy = fc.record({ id: name, limitName: fc.option(name), key });
  fc.assert(
    fc.property(policy, policy, fc.boolean(), (one, other, isSameName) => {
      const another = isSameName ? { ...other, limitName: one.limitName } : other;
      const spaces = [one, another].map((each) => {
        const { space, addressSpace } = policyOf(each.id, each.limitName, each.key);
        return [space, ...(addressSpace === null ? [] : [addressSpace])];
      }) as [string[], string[]];
      const isShared = spaces[0].some((space) => spaces[1].includes(space));
      const isSameKey = JSON.stringify(one.key) === JSON.stringify(another.key);
      const isSameLimit = one.limitName !== null && one.limitName === another.limitName;
      const isSameRoute = one.limitName === null && another.limitName === null && one.id === another.id;
      // A route keeps its namespace whatever its key, except for users.
      const isUser = [one.key.kind, another.key.kind].filter((kind) => kind === 'user').length;
      expect(isShared).toBe((isSameLimit && isSameKey) || (isSameRoute && isUser !== 1));
    }),
  );
});

it('keeps the buckets of a named limit when only its rate changes', () => {
  const rate = fc.record({
    requestsPerSecond: fc.integer({ min: 1, max: 100 }),
    burst: fc.integer({ min: 1, max: 100 }),
  });
  fc.assert(
    fc.property(name, key, rate, rate, address, fc.option(userId), (limitName, which, before, after, from, user) => {
      const [old, current] = [before, after].map(
        (changed) =>
          appliedRateLimits(noRates, { id: 'a', policy: { name: limitName, limit: changed, key: which } })[0],
      ) as [AppliedRateLimit, AppliedRateLimit];
      expect(bucketOf(old, { address: from, userId: user })).toBe(bucketOf(current, { address: from, userId: user }));
    }),
  );
});
