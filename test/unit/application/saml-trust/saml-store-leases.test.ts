import { describe, expect, it } from 'vitest';
import type { SamlStoreOpener, SamlStores } from '../../../../src/application/ports/saml-stores.js';
import { SamlStoreLeases } from '../../../../src/application/saml-trust/saml-store-leases.js';
import type { SessionStoreOptions } from '../../../../src/domain/configuration/saml-options.js';
import { err, ok, type Result } from '../../../../src/domain/shared/result.js';
import { Secret } from '../../../../src/domain/shared/secret.js';
import { FakeSessionStore } from '../../../support/fake-session-store.js';
import { settled } from '../../../support/manual-scheduler.js';

/** Opens stores of which a test sees whether they are open; closing them takes until `letClose`. */
class FakeOpener implements SamlStoreOpener {
  readonly log: string[] = [];
  failure: string | null = null;
  letClose: () => void = () => undefined;

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SamlStores, string>> {
    this.log.push(`open ${options.kind} ${namespace}`);
    await settled();
    if (this.failure !== null) return err(this.failure);
    return ok({
      sessions: new FakeSessionStore(),
      replays: { remember: async () => ok('first'), removeExpired: async () => ok(0) },
      requests: { insert: async () => ok(undefined), take: async () => ok(null), removeExpired: async () => ok(0) },
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

const memory = { kind: 'memory' } as const;
const leased = async (leases: SamlStoreLeases, options: SessionStoreOptions, namespace = 'sp') => {
  const lease = await leases.acquire(options, namespace);
  if (!lease.ok) throw new Error(lease.error);
  return lease.value;
};

describe('SamlStoreLeases', () => {
  it('opens a place once for all who name it, also at the same moment', async () => {
    const opener = new FakeOpener();
    const leases = new SamlStoreLeases(opener);
    const [first, second] = await Promise.all([leased(leases, memory), leased(leases, memory)]);
    const third = await leased(leases, memory);
    expect(second.stores).toBe(first.stores);
    expect(third.stores).toBe(first.stores);
    expect(opener.log).toEqual(['open memory sp']);
  });

  it('keeps apart the namespaces, the kinds and the places', async () => {
    const opener = new FakeOpener();
    const leases = new SamlStoreLeases(opener);
    const redis = (url: string) => ({ kind: 'redis', url: new Secret(url) }) as const;
    const places: [SessionStoreOptions, string][] = [
      [memory, 'sp'],
      [memory, 'other'],
      [{ kind: 'sqlite', path: '/a' }, 'sp'],
      [{ kind: 'sqlite', path: '/b' }, 'sp'],
      [redis('redis://a'), 'sp'],
      [redis('redis://b'), 'sp'],
    ];
    const stores = new Set<SamlStores>();
    for (const [options, namespace] of places) stores.add((await leased(leases, options, namespace)).stores);
    expect(stores.size).toBe(places.length);
    expect((await leased(leases, redis('redis://b'))).stores).toBe([...stores].at(-1));
  });

  it('closes with the last lease alone, however often each is released', async () => {
    const opener = new FakeOpener();
    const leases = new SamlStoreLeases(opener);
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

  it('opens a place anew only once it has been closed', async () => {
    const opener = new FakeOpener();
    const leases = new SamlStoreLeases(opener);
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

  it('tells everyone who waits why it cannot be opened, and tries again for the next', async () => {
    const opener = new FakeOpener();
    opener.failure = 'the folder cannot be written';
    const leases = new SamlStoreLeases(opener);
    const failed = { ok: false, error: 'the folder cannot be written' };
    expect(await Promise.all([leases.acquire(memory, 'sp'), leases.acquire(memory, 'sp')])).toEqual([failed, failed]);
    opener.failure = null;
    expect((await leases.acquire(memory, 'sp')).ok).toBe(true);
    expect(opener.log).toHaveLength(2);
  });
});
