import { describe, expect, it } from 'vitest';
import { Exchange } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { relayTunnel } from '../../../../../src/application/gateway/proxy-request/relay-tunnel.js';
import type { ClientResponse, Tunnel } from '../../../../../src/application/ports/gateway/http-exchange.js';
import type { ScheduledTask, Scheduler } from '../../../../../src/application/ports/shared/scheduler.js';
import { newExchange, strictOwner } from '../../../../support/gateway/exchanges.js';

/** Runs scheduled tasks when the test says so. */
class HeldScheduler implements Scheduler {
  readonly once = new Set<() => void>();
  /** Tasks that were scheduled once, in order. */
  readonly delays: number[] = [];
  readonly repeated = new Set<() => void>();

  after(delayMs: number, task: () => void): ScheduledTask {
    this.once.add(task);
    this.delays.push(delayMs);
    return { cancel: () => this.once.delete(task) };
  }

  every(_intervalMs: number, task: () => void): ScheduledTask {
    this.repeated.add(task);
    return { cancel: () => this.repeated.delete(task) };
  }
}

/** Delivers what the test sends, then stays open. Accepts nothing if `isStuck`. */
class FakeTunnel implements Tunnel {
  readonly written: Uint8Array[] = [];
  isDestroyed = false;
  hasEnd = false;
  closed = false;
  readonly #listeners: (() => void)[] = [];
  readonly #pieces: readonly Uint8Array[];
  readonly #isStuck: boolean;
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(pieces: readonly Uint8Array[], isStuck = false) {
    this.#pieces = pieces;
    this.#isStuck = isStuck;
  }

  async *iterator(): AsyncGenerator<Uint8Array> {
    yield* this.#pieces;
    if (!this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.isDestroyed) throw new Error('the connection is gone');
  }

  write(chunk: Uint8Array, done: () => void): void {
    this.written.push(chunk);
    if (!this.#isStuck) done();
  }

  end(): void {
    this.hasEnd = true;
  }

  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    this.closed = true;
    this.#wake();
    for (const listener of this.#listeners) listener();
  }

  once(_event: 'close', listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Ends the peer's side. */
  halfClose(): void {
    this.#isEnded = true;
    this.#wake();
  }
}

const piece = new Uint8Array([1, 2, 3]);

const relay = (client: FakeTunnel, upstream: FakeTunnel, request = newExchange().request): HeldScheduler => {
  const scheduler = new HeldScheduler();
  const response = { upgrade: () => client } as unknown as ClientResponse;
  const address = {
    address: '192.0.2.1',
    port: 1,
    peerTrusted: false,
    source: 'connection',
    scheme: null,
    host: null,
  } as const;
  const exchange = new Exchange(request, response, 'id', 'id', address, 0, strictOwner);
  const upgraded = { status: 101, headers: [], received: null, body: null, isBodyLate: false, tunnel: upstream };
  void relayTunnel(exchange, upgraded, upstream, scheduler);
  return scheduler;
};

describe('a tunnel', () => {
  it('relays octets in both directions, and leaves no timer after they are written', async () => {
    const [client, upstream] = [new FakeTunnel([piece]), new FakeTunnel([piece])];
    const scheduler = relay(client, upstream);
    await expect.poll(() => [client.written.length, upstream.written.length]).toEqual([1, 1]);
    await expect.poll(() => scheduler.once.size).toBe(0);
    expect(client.isDestroyed || upstream.isDestroyed).toBe(false);
  });

  it('closes when one side accepts nothing for the stall timeout', async () => {
    const [client, upstream] = [new FakeTunnel([piece]), new FakeTunnel([], true)];
    const scheduler = relay(client, upstream);
    await expect.poll(() => scheduler.once.size).toBe(1);
    for (const task of [...scheduler.once]) task();
    expect([client.isDestroyed, upstream.isDestroyed]).toEqual([true, true]);
  });

  it('closes after an idle period without octets, and stays open after one with octets', async () => {
    const [client, upstream] = [new FakeTunnel([piece]), new FakeTunnel([])];
    const scheduler = relay(client, upstream);
    await expect.poll(() => upstream.written.length).toBe(1);
    const look = (): void => [...scheduler.repeated].forEach((task) => void task());
    look();
    expect(client.isDestroyed).toBe(false);
    look();
    expect([client.isDestroyed, upstream.isDestroyed]).toEqual([true, true]);
    expect(scheduler.repeated.size).toBe(0);
  });

  it.each(['client', 'upstream'])(
    'closes if the other side does not end within ten seconds after the %s has',
    async (side) => {
      const [client, upstream] = [new FakeTunnel([]), new FakeTunnel([])];
      const [ending, other] = side === 'client' ? [client, upstream] : [upstream, client];
      const scheduler = relay(client, upstream);
      ending.halfClose();
      await expect.poll(() => other.hasEnd).toBe(true);
      expect([scheduler.delays, client.isDestroyed, upstream.isDestroyed]).toEqual([[10_000], false, false]);
      for (const task of [...scheduler.once]) task();
      expect([client.isDestroyed, upstream.isDestroyed]).toEqual([true, true]);
      expect(scheduler.repeated.size).toBe(0);
    },
  );

  it('ends after both sides have ended, and leaves no timer', async () => {
    const [client, upstream] = [new FakeTunnel([piece]), new FakeTunnel([])];
    const scheduler = relay(client, upstream);
    client.halfClose();
    upstream.halfClose();
    await expect.poll(() => [client.isDestroyed, upstream.isDestroyed]).toEqual([true, true]);
    expect([upstream.written.length, scheduler.once.size, scheduler.repeated.size]).toEqual([1, 0, 0]);
  });

  it('destroys its upstream if the client closes after it ended', async () => {
    const [client, upstream] = [new FakeTunnel([]), new FakeTunnel([])];
    const scheduler = relay(client, upstream);
    client.halfClose();
    await expect.poll(() => upstream.hasEnd).toBe(true);
    client.destroy();
    expect(upstream.isDestroyed).toBe(true);
    expect([scheduler.once.size, scheduler.repeated.size]).toEqual([0, 0]);
  });

  it('closes at once if the client closed before the upgrade', () => {
    const [client, upstream] = [new FakeTunnel([]), new FakeTunnel([])];
    client.destroy();
    const scheduler = relay(client, upstream);
    expect([upstream.isDestroyed, scheduler.repeated.size]).toEqual([true, 0]);
  });
});
