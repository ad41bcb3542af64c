import { afterAll, beforeAll, expect, it } from 'vitest';
import type {
  RateLimitAnswer,
  RateLimitCharge,
  RateLimitStore,
} from '../../src/application/ports/shared/rate-limit-store.js';
import type { RateLimit } from '../../src/domain/shared/token-bucket.js';
import { type BucketPlace, describeRateLimitStores } from '../support/gateway/rate-limit-stores.js';

/** Fills too slowly for a test to see it. */
const still = (burst: number): RateLimit => ({ requestsPerSecond: 0.000_1, burst });

describeRateLimitStores('a store of rate limits', (newPlace) => {
  let place: BucketPlace;
  let store: RateLimitStore;
  let spaces = 0;
  beforeAll(async () => {
    place = await newPlace();
    store = await place.open();
  });
  afterAll(() => place.remove());

  /** A space that no other test uses. */
  const newSpace = (): string => {
    spaces += 1;
    return `space ${spaces}`;
  };
  const take = async (...charges: RateLimitCharge[]): Promise<RateLimitAnswer> => store.take(charges);
  const taken = async (charge: RateLimitCharge, times: number): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: times }, () => take(charge)));
    return answers.filter(({ kind }) => kind === 'taken').length;
  };

  it('gives the burst and no more, and says what is left', async () => {
    const charge = { space: newSpace(), key: 'a', limit: still(3) };
    const left: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const answer = await take(charge);
      if (answer.kind !== 'taken') throw new Error(answer.kind);
      left.push(...answer.left);
    }
    expect(left.map((tokens) => Math.floor(tokens + 1e-3))).toEqual([2, 1, 0]);
    const refused = await take(charge);
    if (refused.kind !== 'refused') throw new Error(refused.kind);
    expect(refused.refusedBy).toBe(0);
    expect(refused.left[0]).toBeLessThan(0.1);
    // A token takes 10 000 s; the few tests before this line took less than one of them.
    expect(refused.waitMs).toBeGreaterThan(9_000_000);
    expect(refused.waitMs).toBeLessThanOrEqual(10_000_000);
  });

  it('has a token again after the wait that it tells, and not more than one', async () => {
    const charge = { space: newSpace(), key: 'a', limit: { requestsPerSecond: 20, burst: 1 } };
    expect(await taken(charge, 1)).toBe(1);
    const refused = await take(charge);
    if (refused.kind !== 'refused') throw new Error(refused.kind);
    expect(refused.waitMs).toBeLessThanOrEqual(50);
    await place.elapse(refused.waitMs);
    expect(await taken({ ...charge, limit: { requestsPerSecond: 0.001, burst: 1 } }, 1)).toBeLessThanOrEqual(1);
    await place.elapse(50);
    expect(await taken(charge, 3)).toBe(1);
  });

  it('is full again after long enough, and not fuller', async () => {
    const charge = { space: newSpace(), key: 'a', limit: { requestsPerSecond: 100, burst: 4 } };
    await taken(charge, 4);
    await place.elapse(60);
    expect(await taken({ ...charge, limit: still(4) }, 10)).toBe(4);
  });

  it('takes of every bucket or of none, and names the one that lacks a token longest', async () => {
    const space = newSpace();
    const [plenty, some, one] = [10, 2, 1].map((burst) => ({ space, key: `of ${burst}`, limit: still(burst) })) as [
      RateLimitCharge,
      RateLimitCharge,
      RateLimitCharge,
    ];
    const quick = { space, key: 'quick', limit: { requestsPerSecond: 0.01, burst: 1 } };
    expect((await take(plenty, some, one, quick)).kind).toBe('taken');
    for (let index = 0; index < 5; index += 1) {
      expect(await take(plenty, quick, some, one)).toMatchObject({ kind: 'refused', refusedBy: 3 });
    }
    expect(await take(quick, plenty)).toMatchObject({ kind: 'refused', refusedBy: 0 });
    expect(await taken(some, 5)).toBe(1);
    expect(await taken(plenty, 20)).toBe(9);
  });

  it('keeps buckets apart by space and by key, whatever is in their names', async () => {
    const names = ['', 'a', 'b', 'a:b', 'a%3Ab', 'a b', ':', '2001:db8::1', 'é', '\u{1F600}', '*', '{a}'];
    for (const space of names.map((name) => `${newSpace()}${name}`)) {
      for (const key of names) expect(await taken({ space, key, limit: still(1) }, 2)).toBe(1);
    }
    const base = newSpace();
    expect(await taken({ space: base, key: 'x:y', limit: still(1) }, 1)).toBe(1);
    expect(await taken({ space: `${base}:x`, key: 'y', limit: still(1) }, 1)).toBe(1);
    expect(await taken({ space: `${base}:x:y`, key: '', limit: still(1) }, 1)).toBe(1);
  });

  it('goes by the limit of the moment: a lower burst counts at once, and a higher rate fills faster', async () => {
    const space = newSpace();
    expect(await taken({ space, key: 'a', limit: still(100) }, 10)).toBe(10);
    expect(await taken({ space, key: 'a', limit: still(5) }, 20)).toBe(5);
    await place.elapse(20);
    expect(await taken({ space, key: 'a', limit: { requestsPerSecond: 1_000, burst: 5 } }, 1)).toBe(1);
  });

  it('takes a rate and a burst of any size', async () => {
    const space = newSpace();
    expect(await taken({ space, key: 'large', limit: { requestsPerSecond: 1e6, burst: 1e7 } }, 50)).toBe(50);
    expect(await taken({ space, key: 'small', limit: { requestsPerSecond: 1e-9, burst: 1 } }, 5)).toBe(1);
    expect(await taken({ space, key: 'fraction', limit: { requestsPerSecond: 0.3, burst: 3 } }, 5)).toBe(3);
  });

  it('forgets, of too many buckets of a space, the one that was not used for longest', async () => {
    const few = await place.open(3);
    const space = newSpace();
    const use = async (key: string): Promise<string> => {
      const answer = await few.take([{ space, key, limit: still(1) }]);
      await place.elapse(1);
      return answer.kind;
    };
    for (const key of ['a', 'b', 'c', 'd']) expect(await use(key)).toBe('taken');
    expect(await use('c')).toBe('refused');
    expect(await use('d')).toBe('refused');
    expect(await use('a')).toBe('taken');
  });

  it('only says that it can be asked where nothing is charged', async () => {
    expect(await take()).toEqual({ kind: 'taken', left: [] });
  });
});
