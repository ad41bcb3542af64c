import { describe, expect, it } from 'vitest';
import { noOtherProcesses } from '../../../../../../../src/application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../../../../../../src/application/agent/sessions/session-store-leases.js';
import type {
  SessionStoreOpener,
  SessionStores,
} from '../../../../../../../src/application/ports/agent/session-stores.js';
import type { SessionStoreOptions } from '../../../../../../../src/domain/agent/configuration/sessions-options.js';
import { err, ok, type Result } from '../../../../../../../src/domain/shared/result.js';
import { Secret } from '../../../../../../../src/domain/shared/secret.js';
import { FakeSessionStore } from '../../../../../../support/agent/fake-session-store.js';
import { sessionOf } from '../../../../../../support/agent/remembered-sessions.js';
import { ManualClock } from '../../../../../../support/shared/manual-clock.js';
import { settled } from '../../../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../../../support/shared/recording-logger.js';

/** Opens stores of which a test sees whether they are open; closing them takes until `letClose`. */
const emptyStore = {
  insert: async () => ok(undefined),
  find: async () => ok(null),
  take: async () => ok(null),
  removeExpired: async () => ok(0),
};

class FakeOpener implements SessionStoreOpener {
  readonly log: string[] = [];
  failure: string | null = null;
  letClose: () => void = () => undefined;
  readonly stores: FakeSessionStore[] = [];
  /** How many of those that were opened are lost. */
  lost = 0;

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SessionStores, string>> {
    this.log.push(`open ${options.kind} ${namespace}`);
    await settled();
    if (this.failure !== null) return err(this.failure);
    const sessions = new FakeSessionStore();
    const isLost = () => this.stores.indexOf(sessions) < this.lost;
    this.stores.push(sessions);
    return ok({
      sessions,
      replays: { has: async () => ok(false), remember: async () => ok('first'), removeExpired: async () => ok(0) },
      requests: emptyStore,
      forms: emptyStore,
      isLost,
      close: async () => {
        this.log.push(`closing ${options.kind}`);
        await new Promise<void>((resolve) => {
          this.letClose = resolve;
        });
        this.log.push(`closed ${options.kind}`);
      },
    });
  }
}

const logger = new RecordingLogger();
const leasesOf = (opener: FakeOpener) =>
  new SessionStoreLeases({ opener, clock: new ManualClock(), logger, endings: noOtherProcesses });

const memory = { kind: 'memory' } as const;
const leased = async (leases: SessionStoreLeases, options: SessionStoreOptions, namespace = 'sp') => {
  const lease = await leases.acquire(options, namespace);
  if (!lease.ok) throw new Error(lease.error);
  return lease.value;
};

describe('SamlStoreLeases', () => {
  it('opens a store once for all users, also concurrently', async () => {
    const opener = new FakeOpener();
    const leases = leasesOf(opener);
    const [first, second] = await Promise.all([leased(leases, memory), leased(leases, memory)]);
    const third = await leased(leases, memory);
    expect(second.stores).toBe(first.stores);
    expect(third.stores).toBe(first.stores);
    expect(opener.log).toEqual(['open memory sp']);
  });

  it('keeps namespaces, kinds and locations separate', async () => {
    const opener = new FakeOpener();
    const leases = leasesOf(opener);
    const redis = (url: string) => ({ kind: 'redis', url: new Secret(url) }) as const;
    const places: [SessionStoreOptions, string][] = [
      [memory, 'sp'],
      [memory, 'other'],
      [{ kind: 'sqlite', path: '/a' }, 'sp'],
      [{ kind: 'sqlite', path: '/b' }, 'sp'],
      [redis('redis://a'), 'sp'],
      [redis('redis://b'), 'sp'],
    ];
    const stores = new Set<SessionStores>();
    for (const [options, namespace] of places) stores.add((await leased(leases, options, namespace)).stores);
    expect(stores.size).toBe(places.length);
    expect((await leased(leases, redis('redis://b'))).stores).toBe([...stores].at(-1));
  });

  it('closes with the last lease, for any repeated release', async () => {
    const opener = new FakeOpener();
    const leases = leasesOf(opener);
    const first = await leased(leases, memory);
    const second = await leased(leases, memory);
    await first.release();
    await first.release();
    expect(opener.log).toEqual(['open memory sp']);
    const released = second.release();
    expect(opener.log).toEqual(['open memory sp', 'closing memory']);
    opener.letClose();
    await released;
    expect(opener.log.at(-1)).toBe('closed memory');
  });

  it('reopens a store only after it was closed', async () => {
    const opener = new FakeOpener();
    const leases = leasesOf(opener);
    const first = await leased(leases, memory);
    const released = first.release();
    const second = leased(leases, memory);
    await settled();
    expect(opener.log).toEqual(['open memory sp', 'closing memory']);
    opener.letClose();
    await released;
    expect((await second).stores).not.toBe(first.stores);
    expect(opener.log.slice(2)).toEqual(['closed memory', 'open memory sp']);
  });

  it('tells every waiter why opening failed, and retries for the next one', async () => {
    const opener = new FakeOpener();
    opener.failure = 'the folder cannot be written';
    const leases = leasesOf(opener);
    const failed = { ok: false, error: 'the folder cannot be written' };
    expect(await Promise.all([leases.acquire(memory, 'sp'), leases.acquire(memory, 'sp')])).toEqual([failed, failed]);
    opener.failure = null;
    expect((await leases.acquire(memory, 'sp')).ok).toBe(true);
    expect(opener.log).toHaveLength(2);
  });

  it('shares one state and one cache among the users of a store', async () => {
    const opener = new FakeOpener();
    const leases = leasesOf(opener);
    const first = await leased(leases, memory);
    const second = await leased(leases, memory);
    const session = sessionOf('ann', 0);
    await first.stores.sessions.insert(session);
    first.known.begun(session, 0);
    expect(second.known.recall(session.idHash)).toMatchObject({ session });
    for (const store of opener.stores) store.isDown = true;
    await first.stores.sessions.count();
    expect(second.state.failure).toBe('the disk is full');
  });

  it('gives a lost store to no new user, and closes it with its last user', async () => {
    const opener = new FakeOpener();
    const leases = leasesOf(opener);
    const before = await leased(leases, memory);
    opener.lost = 1;
    const after = await leased(leases, memory);
    expect(after.stores).not.toBe(before.stores);
    expect((await leased(leases, memory)).stores).toBe(after.stores);
    const released = before.release();
    opener.letClose();
    await released;
    expect(opener.log).toEqual(['open memory sp', 'open memory sp', 'closing memory', 'closed memory']);
    expect((await leased(leases, memory)).stores).toBe(after.stores);
  });

  it('reports each time why a lost store cannot be reopened', async () => {
    const opener = new FakeOpener();
    const leases = leasesOf(opener);
    await leased(leases, memory);
    opener.lost = 1;
    opener.failure = 'the file is gone';
    for (let times = 0; times < 2; times += 1) {
      expect(await leases.acquire(memory, 'sp')).toEqual({ ok: false, error: 'the file is gone' });
    }
  });
});
