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
    memory.remember(token, { prepared, window, key, boundTo: null });
  return { clock, memory, remember };
};

describe('VerifiedTokenCache', () => {
  it('answers for a token that was verified, with the very identity that was prepared', () => {
    const { memory, remember } = made();
    expect(memory.recall(shown('a'))).toBeNull();
    remember('a');
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
    expect(memory.recall(shown('b'))).toBeNull();
  });

  it('answers until the token expires, however long that is, and then leaves it to the check that is in charge of it', () => {
    const { clock, memory, remember } = made();
    remember('a');
    clock.advance(59_999);
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
    clock.advance(1);
    expect(memory.recall(shown('a'))).toBeNull();
    clock.advance(-1);
    expect(memory.recall(shown('a'))).toBeNull();
  });

  it('does not answer for the future where the clock was set back, and does not forget either', () => {
    const { clock, memory, remember } = made();
    remember('a');
    clock.advance(-1);
    expect(memory.recall(shown('a'))).toBeNull();
    clock.advance(1);
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
  });

  it('forgets a token once its key is withdrawn, even if the key came back', () => {
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

  it('holds no more than its number of tokens, and lets the least recently used go', () => {
    const { memory, remember } = made({ maximumEntries: 2 });
    remember('a');
    remember('b');
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
    remember('c');
    expect(memory.recall(shown('b'))).toBeNull();
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
    expect(memory.recall(shown('c'))?.outcome).toEqual(accepted);
  });

  it('holds no more than its size, and no longer counts what was replaced, expired or withdrawn', () => {
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

  it('keeps nothing that is larger than itself, and gives nothing up for it', () => {
    const { memory, remember } = made({ maximumSize: 10 });
    remember('a');
    remember('b'.repeat(11));
    expect(memory.recall(shown('b'.repeat(11)))).toBeNull();
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
  });

  it('is off where it may hold nothing', () => {
    const { memory, remember } = made({ maximumEntries: 0 });
    remember('a');
    expect(memory.recall(shown('a'))).toBeNull();
  });

  it('remembers each token as itself where verifying several overlaps', () => {
    const { memory, remember } = made();
    memory.recall(shown('a'));
    memory.recall(shown('b'));
    remember('a');
    expect(memory.recall(shown('b'))).toBeNull();
    expect(memory.recall(shown('a'))?.outcome).toEqual(accepted);
  });

  it('knows a field that shows a token it has, written as nearly everybody does, and no other', () => {
    const { memory, remember } = made();
    expect(memory.credential('Bearer a')).toBeNull();
    remember('a');
    expect(memory.credential('Bearer a')).toMatchObject({ scheme: 'bearer', token: 'a' });
    for (const other of ['a', 'Bearer  a', 'bearer a', 'Bearer a ', 'Bearer A', 'Bearer a,Bearer b', 'Basic a']) {
      expect(memory.credential(other)).toBeNull();
    }
  });

  it('tells fields apart that end alike, however often they come', () => {
    const { memory, remember } = made();
    const tokens = ['first-and-its-signature', 'other-and-its-signature', 'third-and-its-signature'];
    for (const token of tokens.slice(0, 2)) remember(token);
    for (let time = 0; time < 3; time += 1) {
      const known = tokens.map((token) => memory.credential(`Bearer ${token}`)?.token ?? null);
      expect(known).toEqual([tokens[0], tokens[1], null]);
    }
  });

  it('no longer knows a field whose token was forgotten, and knows it anew where it is remembered again', () => {
    const { memory, remember } = made({ maximumEntries: 1 });
    remember('a');
    const before = memory.credential('Bearer a');
    remember('b');
    expect(memory.credential('Bearer a')).toBeNull();
    remember('a');
    expect(memory.credential('Bearer a')).not.toBe(before);
    expect(memory.credential('Bearer a')).toMatchObject({ token: 'a' });
  });

  it('does not answer for what was found before it was forgotten, not even where it is remembered anew by another memory', () => {
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
