import { describe, expect, it } from 'vitest';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import {
  type TokenMemoryLimits,
  VerifiedTokenCache,
} from '../../../../../src/application/agent/authenticate/verified-token-cache.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const prepared = preparedIdentity({ method: 'jwt', userId: 'ann', claims: null, certificate: null }, []);
const accepted = { kind: 'authenticated', prepared };

const shown = (token: string) => ({ scheme: 'bearer', token }) as const;

const made = (limits: Partial<TokenMemoryLimits> = {}) => {
  const clock = new ManualClock();
  const memory = new VerifiedTokenCache(clock, { maximumEntries: 100, maximumSize: 1_000, ...limits });
  const window = { fromMs: clock.wallMs(), untilMs: clock.wallMs() + 60_000 };
  const remember = (token: string, key: { readonly isWithdrawn: boolean } | null = null): void =>
    memory.remember(token, { prepared, window, key, binding: { certificate: null, proofKey: null } });
  return { clock, memory, remember };
};

describe('VerifiedTokenCache', () => {
  it('returns the identical prepared identity for a verified token', () => {
    const { memory, remember } = made();
    expect(memory.recall(shown('a'))).toBeNull();
    remember('a');
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
    expect(memory.recall(shown('b'))).toBeNull();
  });

  it('serves a token until it expires, and then leaves it to the verifier', () => {
    const { clock, memory, remember } = made();
    remember('a');
    clock.advance(59_999);
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
    clock.advance(1);
    expect(memory.recall(shown('a'))).toBeNull();
    clock.advance(-1);
    expect(memory.recall(shown('a'))).toBeNull();
  });

  it('serves nothing early after the clock moved back, and keeps its entries', () => {
    const { clock, memory, remember } = made();
    remember('a');
    clock.advance(-1);
    expect(memory.recall(shown('a'))).toBeNull();
    clock.advance(1);
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
  });

  it('drops a token after its key is withdrawn, even if the key returns', () => {
    const { memory, remember } = made();
    const key = { isWithdrawn: false };
    remember('a', key);
    remember('b', { isWithdrawn: false });
    key.isWithdrawn = true;
    expect(memory.recall(shown('a'))).toBeNull();
    key.isWithdrawn = false;
    expect(memory.recall(shown('a'))).toBeNull();
    expect(memory.recall(shown('b'))?.outcome).toEqual(accepted);
  });

  it('evicts the least recently used token beyond its capacity', () => {
    const { memory, remember } = made({ maximumEntries: 2 });
    remember('a');
    remember('b');
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
    remember('c');
    expect(memory.recall(shown('b'))).toBeNull();
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
    expect(memory.recall(shown('c'))?.outcome).toEqual(accepted);
  });

  it('respects its size limit, and frees the size of replaced, expired and withdrawn tokens', () => {
    const { clock, memory, remember } = made({ maximumSize: 10 });
    const key = { isWithdrawn: false };
    remember('aaaaaa', key);
    remember('aaaaaa', key);
    remember('bbbb');
    expect(memory.recall(shown('aaaaaa'))?.outcome).toEqual(accepted);
    key.isWithdrawn = true;
    expect(memory.recall(shown('aaaaaa'))).toBeNull();
    remember('cccccc');
    expect(memory.recall(shown('bbbb'))?.outcome).toEqual(accepted);
    remember('d');
    expect(memory.recall(shown('cccccc'))).toBeNull();
    clock.advance(60_000);
    expect(memory.recall(shown('bbbb'))).toBeNull();
    clock.advance(-60_000);
    remember('eeeeeeeee');
    expect(memory.recall(shown('d'))?.outcome).toEqual(accepted);
    expect(memory.recall(shown('eeeeeeeee'))?.outcome).toEqual(accepted);
  });

  it('skips a token larger than the cache, without evicting others', () => {
    const { memory, remember } = made({ maximumSize: 10 });
    remember('a');
    remember('b'.repeat(11));
    expect(memory.recall(shown('b'.repeat(11)))).toBeNull();
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
  });

  it('is disabled with a capacity of zero', () => {
    const { memory, remember } = made({ maximumEntries: 0 });
    remember('a');
    expect(memory.recall(shown('a'))).toBeNull();
  });

  it('keeps each token separate when verifications overlap', () => {
    const { memory, remember } = made();
    memory.recall(shown('a'));
    memory.recall(shown('b'));
    remember('a');
    expect(memory.recall(shown('b'))).toBeNull();
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
  });

  it('recognises only a field with a cached token in the usual spelling', () => {
    const { memory, remember } = made();
    expect(memory.credential('Bearer a')).toBeNull();
    remember('a');
    expect(memory.credential('Bearer a')).toMatchObject({ scheme: 'bearer', token: 'a' });
    for (const other of ['a', 'Bearer  a', 'bearer a', 'Bearer a ', 'Bearer A', 'Bearer a,Bearer b', 'Basic a']) {
      expect(memory.credential(other)).toBeNull();
    }
  });

  it('distinguishes fields with the same end', () => {
    const { memory, remember } = made();
    const tokens = ['first-and-its-signature', 'other-and-its-signature', 'third-and-its-signature'];
    for (const token of tokens.slice(0, 2)) remember(token);
    for (let time = 0; time < 3; time += 1) {
      const known = tokens.map((token) => memory.credential(`Bearer ${token}`)?.token ?? null);
      expect(known).toEqual([tokens[0], tokens[1], null]);
    }
  });

  it('forgets the field of an evicted token, and knows it again after re-insertion', () => {
    const { memory, remember } = made({ maximumEntries: 1 });
    remember('a');
    const before = memory.credential('Bearer a');
    remember('b');
    expect(memory.credential('Bearer a')).toBeNull();
    remember('a');
    expect(memory.credential('Bearer a')).not.toBe(before);
    expect(memory.credential('Bearer a')).toMatchObject({ token: 'a' });
  });

  it('ignores a result found before eviction, even if another cache adds it again', () => {
    const { clock, memory, remember } = made({ maximumEntries: 1 });
    const key = { isWithdrawn: false };
    remember('a', key);
    const found = memory.credential('Bearer a') ?? shown('none');
    expect(memory.recall(found)?.outcome).toEqual(accepted);
    expect(made().memory.recall(found)).toBeNull();
    remember('b');
    expect(memory.recall(found)).toBeNull();
    remember('a', key);
    expect(memory.recall(found)?.outcome).toEqual(accepted);
    const again = memory.credential('Bearer a') ?? shown('none');
    key.isWithdrawn = true;
    expect(memory.recall(again)).toBeNull();
    expect(memory.credential('Bearer a')).toBeNull();
    remember('a');
    const last = memory.credential('Bearer a') ?? shown('none');
    clock.advance(60_000);
    expect(memory.recall(last)).toBeNull();
    expect(memory.credential('Bearer a')).toBeNull();
  });
});
