import { describe, expect, it } from 'vitest';
import { MemoryStoreOpener } from '../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import type { SessionCache } from '../../../../../src/application/agent/sessions/session-cache.js';
import { SessionStoreLeases } from '../../../../../src/application/agent/sessions/session-store-leases.js';
import {
  EndedSessionsRelay,
  RelayedSessionEndings,
  relayDeadlineMs,
} from '../../../../../src/application/agent/share-stores/relayed-session-endings.js';
import { RemoteStoreOpener } from '../../../../../src/application/agent/share-stores/remote-session-stores.js';
import { SharedSessionStores } from '../../../../../src/application/agent/share-stores/share-stores.js';
import { FakeSessionStore } from '../../../../support/agent/fake-session-store.js';
import { hashOf, succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { supervisedWorker } from '../../../../support/gateway/supervised-workers.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

/** What the session check of a worker would go by without asking the store; null: it would ask. */
const remembers = (known: SessionCache, id: string): boolean => known.recall(hashOf(id)) !== null;

const gateway = () => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const shared = new SharedSessionStores({ opener: new MemoryStoreOpener(), scheduler });
  const relay = new EndedSessionsRelay();
  const startWorker = async (opener?: SamlStoreLeasesOpener) => {
    const { supervisor, worker, link } = supervisedWorker(scheduler);
    const ends = [shared.serve(supervisor), relay.serve(supervisor)];
    const leases = new SessionStoreLeases({
      opener: opener ?? new RemoteStoreOpener(worker, new MemoryStoreOpener()),
      clock,
      logger: new RecordingLogger(),
      endings: new RelayedSessionEndings(worker),
    });
    const leased = await leases.acquire({ kind: 'memory' }, 'https://sp.example');
    if (!leased.ok) throw new Error(leased.error);
    return {
      ...leased.value,
      link,
      die(): void {
        link.close();
        for (const end of ends) end();
      },
    };
  };
  return { scheduler, startWorker };
};

type SamlStoreLeasesOpener = ConstructorParameters<typeof SessionStoreLeases>[0]['opener'];

describe('a session that one worker ends', () => {
  it("is in no other worker's cache afterwards", async () => {
    const { startWorker } = gateway();
    const [one, two, three] = [await startWorker(), await startWorker(), await startWorker()];
    for (const id of ['a', 'b', 'c']) await succeeded(one.stores.sessions.insert(testSession(id)));
    for (const { known } of [two, three]) for (const id of ['a', 'b', 'c']) await known.find(hashOf(id));
    expect(remembers(two.known, 'a')).toBe(true);

    expect(await succeeded(one.stores.sessions.remove(hashOf('a')))).toBe(true);
    expect([remembers(two.known, 'a'), remembers(three.known, 'a')]).toEqual([false, false]);
    expect(remembers(two.known, 'b')).toBe(true);

    const subject = {
      method: 'saml',
      provider: 'https://idp.example',
      subject: 'alice@example.com',
      sessionIndexes: [],
    } as const;
    expect(await succeeded(three.stores.sessions.removeOfSubject(subject))).toHaveLength(2);
    for (const { known } of [one, two]) expect([remembers(known, 'b'), remembers(known, 'c')]).toEqual([false, false]);
    expect(await two.known.find(hashOf('b'))).toBe('unknown');
  });

  it('is looked up again in every worker if the store gave no clear result', async () => {
    const { startWorker } = gateway();
    const store = new FakeSessionStore();
    const memory = await new MemoryStoreOpener().open({ kind: 'memory' });
    if (!memory.ok) throw new Error(memory.error);
    const opener: SamlStoreLeasesOpener = {
      open: async () => ({ ok: true, value: { ...memory.value, sessions: store } }),
    };
    const [one, other] = [await startWorker(opener), await startWorker(opener)];
    await succeeded(one.stores.sessions.insert(testSession('a')));
    await other.known.find(hashOf('a'));
    store.isDown = true;
    const subject = {
      method: 'saml',
      provider: 'https://idp.example',
      subject: 'alice@example.com',
      sessionIndexes: [],
    } as const;
    expect((await one.stores.sessions.removeOfSubject(subject)).ok).toBe(false);
    expect(remembers(other.known, 'a')).toBe(false);
    expect(await other.known.find(hashOf('a'))).toBe('failed');
  });

  it('is looked up again in every worker after one of them renews it', async () => {
    const { startWorker } = gateway();
    const [one, other] = [await startWorker(), await startWorker()];
    await succeeded(one.stores.sessions.insert(testSession('a')));
    const lease = { idHash: hashOf('a'), holder: 'h', untilMs: 2, nowMs: 1 };
    const ended = { idHash: hashOf('a'), holder: 'h', backoffUntilMs: 0 };
    await other.known.find(hashOf('a'));
    await succeeded(one.stores.sessions.takeRefreshLease(lease));
    await succeeded(one.stores.sessions.endRefresh({ ...ended, details: null }));
    expect(remembers(other.known, 'a')).toBe(true);
    await succeeded(one.stores.sessions.takeRefreshLease(lease));
    await succeeded(one.stores.sessions.endRefresh({ ...ended, details: { token: 'new' } }));
    expect(remembers(other.known, 'a')).toBe(false);
    expect(await other.known.find(hashOf('a'))).toMatchObject({ session: { details: { token: 'new' } } });
  });

  it('waits a limited time for a stalled worker, and not for a dead one', async () => {
    const { startWorker, scheduler } = gateway();
    const [one, two] = [await startWorker(), await startWorker()];
    await succeeded(one.stores.sessions.insert(testSession('a')));
    const dead = await startWorker();
    dead.die();
    // Nothing arrives there any more, as in a process that is stopped.
    two.link.onMessage(() => undefined);
    let isDone = false;
    const removed = one.stores.sessions.remove(hashOf('a')).then((outcome) => {
      isDone = true;
      return outcome;
    });
    await settled();
    await scheduler.advance(relayDeadlineMs - 1);
    expect(isDone).toBe(false);
    await scheduler.advance(1);
    expect(await succeeded(removed)).toBe(true);
  });
});
