import { describe, expect, it } from 'vitest';
import { StoreState } from '../../../../../src/application/agent/sessions/store-state.js';
import { watchedStores } from '../../../../../src/application/agent/sessions/watched-stores.js';
import type { SessionStores } from '../../../../../src/application/ports/agent/session-stores.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { FakeSessionStore } from '../../../../support/agent/fake-session-store.js';
import { sessionOf } from '../../../../support/agent/remembered-sessions.js';
import { testKeptForm, testSignOnRequest } from '../../../../support/agent/test-sessions.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const made = () => {
  const logger = new RecordingLogger();
  const state = new StoreState(logger);
  const sessions = new FakeSessionStore();
  const trouble = { isDown: false };
  const answer = <Value>(value: Value) => (trouble.isDown ? err({ reason: 'the disk is gone' }) : ok(value));
  const byHandle = {
    insert: async () => answer(undefined),
    find: async () => answer(null),
    take: async () => answer(null),
    removeExpired: async () => answer(0),
  };
  const opened: SessionStores = {
    sessions,
    replays: {
      has: async () => answer(false),
      remember: async () => answer('first' as const),
      removeExpired: async () => answer(0),
    },
    requests: byHandle,
    forms: byHandle,
    isLost: () => false,
    close: async () => undefined,
  };
  const stores = watchedStores(opened, state);
  const messages = () => logger.lines.map(({ level, message }) => `${level} ${message}`);
  return { logger, state, sessions, trouble, stores, messages };
};

const subject = { method: 'saml', provider: 'i', subject: 'n', sessionIndexes: [] } as const;
const uses: readonly [name: string, use: (stores: SessionStores) => Promise<{ readonly ok: boolean }>][] = [
  ['sessions.insert', ({ sessions }) => sessions.insert(sessionOf('ann', 0))],
  ['sessions.find', ({ sessions }) => sessions.find('a')],
  ['sessions.touch', ({ sessions }) => sessions.touch([])],
  ['sessions.remove', ({ sessions }) => sessions.remove('a')],
  ['sessions.removeOfSubject', ({ sessions }) => sessions.removeOfSubject(subject)],
  ['sessions.removeOfUser', ({ sessions }) => sessions.removeOfUser('ann')],
  ['sessions.list', ({ sessions }) => sessions.list({ userId: null, limit: 1, after: null })],
  ['sessions.findByPrefix', ({ sessions }) => sessions.findByPrefix('a', 1)],
  ['sessions.removeExpired', ({ sessions }) => sessions.removeExpired(0, null, 1)],
  ['sessions.count', ({ sessions }) => sessions.count()],
  ['sessions.countByMethod', ({ sessions }) => sessions.countByMethod()],
  ['replays.has', ({ replays }) => replays.has('a', 0)],
  ['replays.remember', ({ replays }) => replays.remember('a', 1, 0)],
  ['replays.removeExpired', ({ replays }) => replays.removeExpired(0, 1)],
  ['requests.insert', ({ requests }) => requests.insert(testSignOnRequest('a'))],
  ['requests.take', ({ requests }) => requests.take('a', 0)],
  ['requests.removeExpired', ({ requests }) => requests.removeExpired(0, 1)],
  ['forms.insert', ({ forms }) => forms.insert(testKeptForm('a'))],
  ['forms.find', ({ forms }) => forms.find('a', 0)],
  ['forms.take', ({ forms }) => forms.take('a', 0)],
  ['forms.removeExpired', ({ forms }) => forms.removeExpired(0, 1)],
];

describe('the state of opened stores', () => {
  it.each(uses)('reflects the result of %s', async (_, use) => {
    const { state, sessions, trouble, stores } = made();
    expect((await use(stores)).ok).toBe(true);
    expect(state.failure).toBeNull();
    sessions.isDown = true;
    trouble.isDown = true;
    expect((await use(stores)).ok).toBe(false);
    expect(state.failure).toMatch(/^the disk is /);
    sessions.isDown = false;
    trouble.isDown = false;
    expect((await use(stores)).ok).toBe(true);
    expect(state.failure).toBeNull();
  });

  it('does not recover through reads or removals while writes fail', async () => {
    const { state, sessions, stores } = made();
    sessions.isDown = true;
    await stores.sessions.insert(sessionOf('ann', 0));
    sessions.isDown = false;
    await stores.sessions.count();
    await stores.sessions.remove('a');
    await stores.sessions.removeExpired(0, null, 1);
    expect(state.failure).toBe('the disk is full');
    expect([state.fails('keep'), state.fails('read'), state.fails('remove')]).toEqual([true, false, false]);
    await stores.sessions.touch([]);
    expect(state.failure).toBeNull();
  });

  it('is logged once per change, with the reason and no stored data', async () => {
    const { logger, sessions, stores, messages } = made();
    sessions.isDown = true;
    for (let times = 0; times < 2; times += 1) {
      await stores.sessions.find('hash-of-ann');
      await stores.sessions.insert(sessionOf('ann', 0));
    }
    sessions.isDown = false;
    await stores.sessions.find('hash-of-ann');
    expect(messages()).toEqual(['warn the session store cannot be used']);
    expect(logger.lines[0]?.fields).toEqual({ reason: 'the disk is full' });
    await stores.sessions.insert(sessionOf('bob', 0));
    await stores.sessions.find('hash-of-ann');
    expect(messages()).toEqual(['warn the session store cannot be used', 'info the session store can be used again']);
    expect(JSON.stringify(logger.lines)).not.toContain('hash-of');
  });

  it('notifies listeners once per change, until they stop', async () => {
    const { state, sessions, stores } = made();
    const heard: (string | null)[] = [];
    const end = state.onChange(() => void heard.push(state.failure));
    await stores.sessions.count();
    sessions.isDown = true;
    await stores.sessions.find('a');
    await stores.sessions.insert(sessionOf('ann', 0));
    sessions.isDown = false;
    await stores.sessions.find('a');
    await stores.sessions.insert(sessionOf('bob', 0));
    expect(heard).toEqual(['the disk is full', null]);
    end();
    sessions.isDown = true;
    await stores.sessions.find('a');
    expect(heard).toHaveLength(2);
  });
});
