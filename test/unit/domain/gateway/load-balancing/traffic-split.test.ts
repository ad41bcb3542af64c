import { describe, expect, it } from 'vitest';
import { sideOfRequest, weightedSides } from '../../../../../src/domain/gateway/load-balancing/traffic-split.js';

const sidesOf = (canary: number) =>
  weightedSides({
    key: null,
    sides: [
      { upstream: 'stable', weight: 100 - canary },
      { upstream: 'canary', weight: canary },
    ],
  });

const users = Array.from({ length: 1_000 }, (_, index) => `user-${index}`);

const canaryUsers = (weight: number): readonly string[] => {
  const key = { kind: 'cookie', name: 'uid' } as const;
  return users.filter(
    (user) => sideOfRequest(sidesOf(weight), key, '192.0.2.1', ['Cookie', `uid=${user}`]).upstream === 'canary',
  );
};

describe('a split by key', () => {
  it('keeps the users of the canary from 5 to 25, 50 and 100 percent', () => {
    const steps = [5, 25, 50, 100].map(canaryUsers);
    for (const [index, step] of steps.entries()) {
      expect(step).toEqual(expect.arrayContaining([...(steps[index - 1] ?? [])]));
    }
    expect(steps.at(-1)).toEqual(users);
    expect(canaryUsers(0)).toEqual([]);
    expect(canaryUsers(5)).toEqual(steps[0]);
  });

  it.each([
    ['header', ['X-Tenant', 'acme']],
    ['cookie', ['Cookie', 'a=1; x-tenant=acme']],
  ] as const)('counts a request without its %s by client address', (kind, given) => {
    const key = { kind, name: 'x-tenant' };
    const addresses = Array.from({ length: 200 }, (_, index) => `192.0.2.${index}`);
    const sides = sidesOf(50);
    const without = addresses.map((address) => sideOfRequest(sides, key, address, []).upstream);
    const byAddress = addresses.map((address) => sideOfRequest(sides, { kind: 'client_ip' }, address, []).upstream);
    expect(without).toEqual(byAddress);
    expect(new Set(addresses.map((address) => sideOfRequest(sides, key, address, given).upstream)).size).toBe(1);
  });
});
