import { describe, expect, it } from 'vitest';
import { MemoryStoreOpener } from '../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import {
  RemoteStoreOpener,
  storeDeadlineMs,
} from '../../../../../src/application/agent/share-stores/remote-session-stores.js';
import {
  maximumHandles,
  SharedSessionStores,
  storeLingerMs,
} from '../../../../../src/application/agent/share-stores/share-stores.js';
import { closeStores, sessionTopics } from '../../../../../src/application/agent/share-stores/store-topics.js';
import type { SessionStores } from '../../../../../src/application/ports/agent/session-stores.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { FakeStoreOpener } from '../../../../support/agent/fake-session-store.js';
import { hashOf, noonMs, succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { supervisedWorker } from '../../../../support/gateway/supervised-workers.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';

const world = () => {
  const scheduler = new ManualScheduler(new ManualClock());
  const shared = new SharedSessionStores({ opener: new MemoryStoreOpener(), scheduler });
  const local = new FakeStoreOpener();
  const startWorker = () => {
    const { supervisor, worker, link } = supervisedWorker(scheduler);
    const gone = shared.serve(supervisor);
    const opener = new RemoteStoreOpener(worker, local);
    return {
      worker,
      opener,
      async open(namespace = 'https://sp.example'): Promise<SessionStores> {
        const opened = await opener.open({ kind: 'memory' }, namespace);
        if (!opened.ok) throw new Error(opened.error);
        return opened.value;
      },
      die(): void {
        link.close();
        gone();
      },
    };
  };
  return { scheduler, shared, local, startWorker };
};

describe('stores in the memory of a supervisor', () => {
  it('serve the replacement of a killed single worker', async () => {
    const { startWorker, scheduler } = world();
    const first = startWorker();
    const before = await first.open();
    await succeeded(before.sessions.insert(testSession('a')));
    await succeeded(before.replays.remember('message', noonMs + 10, noonMs));
    first.die();
    await scheduler.advance(storeLingerMs - 1);
    const { sessions, replays } = await startWorker().open();
    // They are kept for as long as the replacement has them.
    await scheduler.advance(2 * storeLingerMs);
    expect(await succeeded(sessions.find(hashOf('a')))).toEqual(testSession('a'));
    expect(await succeeded(replays.remember('message', noonMs + 10, noonMs))).toBe('seen');
  });

  it('are released without a replacement, or when the last worker closes them', async () => {
    const { startWorker, scheduler, shared } = world();
    const killed = startWorker();
    await killed.open();
    killed.die();
    expect(shared.size).toBe(1);
    await scheduler.advance(storeLingerMs);
    expect(shared.size).toBe(0);

    const [one, other] = [startWorker(), startWorker()];
    const stores = [await one.open(), await other.open()] as const;
    await succeeded(stores[0].sessions.insert(testSession('a')));
    await stores[0].close();
    expect(shared.size).toBe(1);
    expect(await succeeded(stores[1].sessions.find(hashOf('a')))).not.toBeNull();
    await stores[1].close();
    expect(shared.size).toBe(0);
    expect(scheduler.waiting).toBe(0);
    const { sessions } = await one.open();
    expect(await succeeded(sessions.find(hashOf('a')))).toBeNull();
  });

  it('time out if the supervisor does not answer, and fail immediately if it has gone', async () => {
    const { scheduler } = world();
    const { worker, link, supervisor } = supervisedWorker(scheduler);
    const opener = new RemoteStoreOpener(worker, new FakeStoreOpener());
    new SharedSessionStores({ opener: new MemoryStoreOpener(), scheduler }).serve(supervisor);
    const opened = await opener.open({ kind: 'memory' }, 'https://sp.example');
    if (!opened.ok) throw new Error(opened.error);
    supervisor.answer(sessionTopics.find, () => new Promise(() => undefined));
    const found = opened.value.sessions.find(hashOf('a'));
    await scheduler.advance(storeDeadlineMs);
    expect(await found).toMatchObject({ ok: false, error: { reason: expect.stringContaining('in time') } });
    link.close();
    expect(await opened.value.replays.remember('m', 2, 1)).toMatchObject({
      ok: false,
      error: { reason: expect.stringContaining('is gone') },
    });
    expect(await opener.open({ kind: 'memory' }, 'https://sp.example')).toMatchObject({ ok: false });
  });

  it('are closed if they were opened too late', async () => {
    const { scheduler } = world();
    const { worker, supervisor } = supervisedWorker(scheduler);
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const memory = new MemoryStoreOpener();
    const slow = { open: (...given: Parameters<MemoryStoreOpener['open']>) => held.then(() => memory.open(...given)) };
    const shared = new SharedSessionStores({ opener: slow, scheduler });
    shared.serve(supervisor);
    const opening = new RemoteStoreOpener(worker, memory).open({ kind: 'memory' }, 'https://sp.example');
    await scheduler.advance(storeDeadlineMs);
    expect(await opening).toMatchObject({ ok: false });
    letGo();
    await settled();
    expect(shared.size).toBe(0);
  });

  it("serve no worker that has not opened them, and limit each worker's calls", async () => {
    const { startWorker, shared } = world();
    const owner = startWorker();
    await succeeded((await owner.open()).sessions.insert(testSession('a')));
    const stranger = startWorker();
    const call = { handle: 1, values: [hashOf('a')] as const };
    const found = await stranger.worker.ask(sessionTopics.find, { ...call, values: [hashOf('a')] }, 1_000);
    expect(found).toMatchObject({ ok: true, value: { ok: false } });
    expect(await stranger.worker.ask(closeStores, { handle: 1 }, 1_000)).toMatchObject({ ok: true });
    expect(shared.size).toBe(1);

    for (let opened = 0; opened < maximumHandles; opened += 1) await stranger.open('https://other.example');
    await expect(stranger.open('https://other.example')).rejects.toThrow('too many stores are open');
    stranger.die();
    expect(shared.size).toBe(2);
  });

  it('leave every other kind of store to the worker', async () => {
    const { startWorker, shared, local } = world();
    const { opener } = startWorker();
    await opener.open({ kind: 'sqlite', path: '/sessions.db' }, 'https://sp.example');
    await opener.open({ kind: 'redis', url: new Secret('redis://x') }, 'https://sp.example');
    expect(local.kinds).toEqual(['sqlite', 'redis']);
    expect(shared.size).toBe(0);
  });
});
