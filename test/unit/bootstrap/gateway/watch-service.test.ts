import { describe, expect, it } from 'vitest';
import type { ServiceManager } from '../../../../src/application/ports/shared/service-manager.js';
import { watchService } from '../../../../src/bootstrap/gateway/run-gateway.js';
import { ManualClock } from '../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../support/shared/manual-scheduler.js';

const watched = (watchdogMs: number | null) => {
  const scheduler = new ManualScheduler(new ManualClock());
  const told: string[] = [];
  const manager: ServiceManager = {
    watchdogMs,
    ready: () => undefined,
    reloading: () => undefined,
    stopping: () => undefined,
    status: (text) => void told.push(text),
    alive: () => void told.push('alive'),
    told: async () => undefined,
  };
  const gateway = { unserved: 0 };
  const addresses = { listeners: new Map([['main', { host: '127.0.0.1', port: 8080 }]]), admin: null };
  const served = { addressesNow: () => addresses, unservedMs: () => gateway.unserved };
  const watch = watchService(served, manager, scheduler);
  return { watch, addresses, gateway, scheduler, told };
};

describe('what the service manager hears while the gateway runs', () => {
  it('is that it is alive, until nobody has served for half a minute', async () => {
    const { gateway, scheduler, told } = watched(10_000);
    await scheduler.advance(10_000);
    gateway.unserved = 29_999;
    await scheduler.advance(10_000);
    gateway.unserved = 30_000;
    await scheduler.advance(20_000);
    gateway.unserved = 0;
    await scheduler.advance(10_000);
    expect(told).toEqual(['alive', 'alive', 'No worker serves', 'alive', 'Serves on 127.0.0.1:8080']);
  });

  it('is also where nobody serves, if it wants no signs of life', async () => {
    const { gateway, scheduler, told } = watched(null);
    await scheduler.advance(20_000);
    expect(told).toEqual([]);
    gateway.unserved = 1;
    await scheduler.advance(5_000);
    expect(told).toEqual(['No worker serves']);
  });

  it('is where it serves by then, and nothing once the watch is cancelled', async () => {
    const { watch, addresses, gateway, scheduler, told } = watched(10_000);
    gateway.unserved = 40_000;
    await scheduler.advance(10_000);
    gateway.unserved = 0;
    addresses.listeners.set('main', { host: '127.0.0.1', port: 9090 });
    await scheduler.advance(10_000);
    expect(told).toEqual(['No worker serves', 'alive', 'Serves on 127.0.0.1:9090']);
    watch.cancel();
    gateway.unserved = 1;
    await scheduler.advance(60_000);
    expect(told.length).toBe(3);
    expect(scheduler.waiting).toBe(0);
  });
});
