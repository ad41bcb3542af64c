import { expect } from 'vitest';
import { describeStores } from '../../support/agent/saml-stores.js';
import { noonMs, succeeded } from '../../support/agent/test-sessions.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

describeStores('ids of messages', (technology) => {
  const opened = async (cleanUp: CleanUp) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    return (await place.open()).replays;
  };

  it('are the first once, and seen until their time is over', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const remember = (key: string, untilMs: number, nowMs: number) => succeeded(store.remember(key, untilMs, nowMs));
    expect(await remember('one', noonMs + 100, noonMs)).toBe('first');
    expect(await remember('one', noonMs + 100, noonMs)).toBe('seen');
    expect(await remember('two', noonMs + 100, noonMs)).toBe('first');
    expect(await remember('One', noonMs + 100, noonMs)).toBe('first');
    expect(await remember('one', noonMs + 500, noonMs + 99)).toBe('seen');
    // What was only seen has not been made to last longer.
    expect(await remember('one', noonMs + 300, noonMs + 100)).toBe('first');
    expect(await remember('one', noonMs + 300, noonMs + 299)).toBe('seen');
  });

  it('are found from the first use until they expire', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const has = (key: string, nowMs: number) => succeeded(store.has(key, nowMs));
    expect(await has('one', noonMs)).toBe(false);
    await succeeded(store.remember('one', noonMs + 100, noonMs));
    expect(await has('one', noonMs)).toBe(true);
    expect(await has('one', noonMs + 99)).toBe(true);
    expect(await has('one', noonMs + 100)).toBe(false);
    expect(await has('One', noonMs)).toBe(false);
    // The question remembers nothing.
    expect(await succeeded(store.remember('two', noonMs + 100, noonMs))).toBe('first');
  });

  it('may end within a millisecond, as the NumericDate of a token can', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const untilMs = noonMs + 100.25;
    expect(await succeeded(store.remember('one', untilMs, noonMs))).toBe('first');
    expect(await succeeded(store.remember('one', untilMs, noonMs + 100))).toBe('seen');
    expect(await succeeded(store.has('one', noonMs + 100))).toBe(true);
    expect(await succeeded(store.has('one', noonMs + 101))).toBe(false);
  });

  it('have one first of many callers at the same moment', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => succeeded(store.remember('one', noonMs + 100, noonMs))),
    );
    expect(answers.filter((answer) => answer === 'first')).toHaveLength(1);
  });

  it('are removed in batches after they expire', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    for (let index = 0; index < 7; index += 1) await succeeded(store.remember(`n${index}`, noonMs + index, noonMs - 1));
    expect(await succeeded(store.removeExpired(noonMs - 1, 5))).toBe(0);
    expect(await succeeded(store.removeExpired(noonMs, 5))).toBe(1);
    expect(await succeeded(store.removeExpired(noonMs + 5, 3))).toBe(3);
    expect(await succeeded(store.removeExpired(noonMs + 5, 3))).toBe(2);
    expect(await succeeded(store.removeExpired(noonMs + 5, 3))).toBe(0);
    expect(await succeeded(store.remember('n6', noonMs + 100, noonMs + 5))).toBe('seen');
    expect(await succeeded(store.remember('n5', noonMs + 100, noonMs + 5))).toBe('first');
  });
});
