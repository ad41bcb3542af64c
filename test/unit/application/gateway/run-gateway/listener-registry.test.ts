import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ListenerPlan,
  ListenerRegistry,
  listenerKey,
} from '../../../../../src/application/gateway/run-gateway/listener-registry.js';
import { defaultEngineLimits, type RequestHandler } from '../../../../../src/application/ports/gateway/http-engine.js';
import { noCidrs } from '../../../../../src/domain/http/cidr-set.js';
import { FakeHttpEngine } from '../../../../support/gateway/fake-http-engine.js';
import { plainTimeouts } from '../../../../support/gateway/plain-configurations.js';

/** A handler that counts failed handshakes. */
const countingHandler = (): RequestHandler & { failures: number } => ({
  failures: 0,
  admit: () => ({ kind: 'admitted', release: () => undefined }),
  handle: () => undefined,
  reject: () => ({ status: 400, headers: [], body: '' }),
  handshakeFailed() {
    this.failures += 1;
  },
  proxyHeaderFailed() {
    this.failures += 1;
  },
});

const context = () => ({ isTlsContext: true, warnings: [], certificates: [] }) as const;

const wanted = (port: number, more: Partial<ListenerPlan> = {}): ListenerPlan => {
  const address = { host: '127.0.0.1', port };
  return {
    key: listenerKey(address, 'main'),
    name: 'main',
    address,
    handler: countingHandler(),
    timeouts: plainTimeouts,
    tls: null,
    proxyHeaderFrom: null,
    http2: false,
    ...more,
  };
};

let engine: FakeHttpEngine;
let registry: ListenerRegistry;
beforeEach(() => {
  engine = new FakeHttpEngine();
  registry = new ListenerRegistry(engine, defaultEngineLimits);
});

const load = async (...listeners: readonly ListenerPlan[]) => (await registry.prepare(listeners)).commit(0);

describe('prepared listeners', () => {
  it('accept nothing before `listen`, and then all accept', async () => {
    const prepared = await registry.prepare([wanted(80), wanted(81)]);
    expect(engine.listeners.map(({ listening }) => listening)).toEqual([false, false]);
    await prepared.listen();
    expect(engine.listeners.map(({ listening }) => listening)).toEqual([true, true]);
  });

  it('all close if one address is in use', async () => {
    const prepared = await registry.prepare([wanted(80), wanted(2), wanted(81)]);
    await expect(prepared.listen()).rejects.toThrow('somebody listens there');
    expect(engine.listeners.map(({ drained }) => drained)).toEqual([true, true, true]);
    expect(registry.open()).toEqual([]);
  });
});

describe('listeners over a reload', () => {
  it('begin with the TLS of the configuration that names them', async () => {
    const tls = context();
    await registry.prepare([wanted(80), wanted(443, { tls })]);
    expect(engine.listeners.map(({ secured }) => secured)).toEqual([[null], [tls]]);
  });

  it('that stay get new TLS settings when the configuration is in force, not before', async () => {
    const [old, renewed] = [context(), context()];
    await load(wanted(443, { tls: old }));
    const [listener] = engine.listeners;
    const prepared = await registry.prepare([wanted(443, { tls: renewed })]);
    expect(listener?.secured.at(-1)).toBe(old);
    prepared.commit(5_000);
    expect(listener?.secured.at(-1)).toBe(renewed);
    expect(listener?.graceMs).toBe(5_000);
    await load(wanted(443));
    expect(listener?.secured.at(-1)).toBeNull();
    expect(engine.listeners).toHaveLength(1);
  });

  it('keep their TLS if an address of the new configuration cannot be bound', async () => {
    const old = context();
    await load(wanted(443, { tls: old }));
    await expect(registry.prepare([wanted(443, { tls: context() }), wanted(444), wanted(1)])).rejects.toThrow('taken');
    const [kept, bound] = engine.listeners;
    expect(kept?.secured.at(-1)).toBe(old);
    expect(bound?.drained).toBe(true);
    expect(registry.open()).toEqual([kept]);
  });

  it('report failed handshakes to their current handler', async () => {
    const [first, second] = [countingHandler(), countingHandler()];
    await load(wanted(443, { handler: first }));
    const failure = { listener: '127.0.0.1:443', peerAddress: '127.0.0.1', code: 'CERT_HAS_EXPIRED' };
    engine.listeners[0]?.handler.handshakeFailed(failure);
    await load(wanted(443, { handler: second }));
    engine.listeners[0]?.handler.handshakeFailed(failure);
    engine.listeners[0]?.handler.handshakeFailed(failure);
    expect([first.failures, second.failures]).toEqual([1, 2]);
  });

  it('that stay get new timeouts when the configuration is in force', async () => {
    await load(wanted(80));
    const timeouts = { proxyHeaderMs: 5_000, headMs: 1, bodyMs: 2, minBodyOctetsPerSecond: 4, idleMs: 3 };
    const prepared = await registry.prepare([wanted(80, { timeouts })]);
    const [listener] = engine.listeners;
    expect(listener?.patience.at(-1)).toEqual(plainTimeouts);
    prepared.commit(0);
    expect(listener?.patience.at(-1)).toEqual(timeouts);
  });

  it('that stay get new PROXY header peers when the configuration is in force', async () => {
    await load(wanted(80));
    const prepared = await registry.prepare([wanted(80, { proxyHeaderFrom: noCidrs })]);
    const [listener] = engine.listeners;
    expect(listener?.headersFrom.at(-1)).toBeNull();
    prepared.commit(0);
    expect(listener?.headersFrom.at(-1)).toBe(noCidrs);
    await load(wanted(80), wanted(81, { proxyHeaderFrom: noCidrs }));
    expect(engine.listeners.map(({ headersFrom }) => headersFrom.at(-1))).toEqual([null, noCidrs]);
  });

  it('report failed PROXY headers to their current handler', async () => {
    const [first, second] = [countingHandler(), countingHandler()];
    await load(wanted(80, { handler: first }));
    await load(wanted(80, { handler: second }));
    const failure = { listener: '127.0.0.1:80', peerAddress: '127.0.0.1', reason: 'malformed' } as const;
    engine.listeners[0]?.handler.proxyHeaderFailed(failure);
    expect([first.failures, second.failures]).toEqual([0, 1]);
  });

  it('release each connection to the handler that admitted it', async () => {
    const open = { first: 0, second: 0 };
    const admitting = (who: 'first' | 'second'): RequestHandler => ({
      ...countingHandler(),
      admit: () => {
        open[who] += 1;
        return {
          kind: 'admitted',
          release: () => {
            open[who] -= 1;
          },
        };
      },
    });
    await load(wanted(80, { handler: admitting('first') }));
    const admit = async () => engine.listeners[0]?.handler.admit('127.0.0.1:80', '192.0.2.1');
    const early = await admit();
    await load(wanted(80, { handler: admitting('second') }));
    const late = await admit();
    expect(open).toEqual({ first: 1, second: 1 });
    if (early?.kind === 'admitted') early.release();
    expect(open).toEqual({ first: 0, second: 1 });
    if (late?.kind === 'admitted') late.release();
    expect(open).toEqual({ first: 0, second: 0 });
  });
});

describe('connections to a new listener', () => {
  const arrived = async () => {
    const admitted: string[] = [];
    const handler: RequestHandler = {
      ...countingHandler(),
      admit: (_, peerAddress) => {
        admitted.push(peerAddress);
        return { kind: 'admitted', release: () => undefined };
      },
    };
    const prepared = await registry.prepare([wanted(80, { handler })]);
    await prepared.listen();
    const connect = (peerAddress: string) => engine.listeners[0]?.handler.admit('127.0.0.1:80', peerAddress);
    return { prepared, admitted, connect };
  };

  it('wait for the configuration that names the listener, which then admits them', async () => {
    const { prepared, admitted, connect } = await arrived();
    const early = connect('192.0.2.1');
    expect(early).toBeInstanceOf(Promise);
    await Promise.resolve();
    expect(admitted).toEqual([]);
    prepared.commit(0);
    // The configuration comes into force in one step; the admissions follow it.
    expect(admitted).toEqual([]);
    expect(await early).toMatchObject({ kind: 'admitted' });
    expect(connect('192.0.2.2')).toMatchObject({ kind: 'admitted' });
    expect(admitted).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('are refused if that configuration is abandoned', async () => {
    const { prepared, admitted, connect } = await arrived();
    const early = connect('192.0.2.1');
    await prepared.abandon();
    expect(engine.listeners[0]?.drained).toBe(true);
    expect(await early).toMatchObject({ kind: 'refused', answer: { status: 503 } });
    expect(admitted).toEqual([]);
  });

  it('wait in a bounded number', async () => {
    const { connect } = await arrived();
    for (let count = 0; count < 1_024; count += 1) expect(connect('192.0.2.1')).toBeInstanceOf(Promise);
    expect(connect('192.0.2.1')).toMatchObject({ kind: 'refused', answer: { status: 503 } });
  });
});
