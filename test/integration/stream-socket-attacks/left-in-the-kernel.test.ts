import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { startInProcess, testConfiguration, testRoute } from '../../support/gateway/in-process-gateway.js';
import { plainTimeouts } from '../../support/gateway/plain-configurations.js';
import { fillers, sleep } from '../../support/gateway/stream-socket-attacks.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const idleMs = 300;

/** A client with an idle connection, or a fresh one, and other sockets that can fill the arena of the layer. */
const start = async (cleanUp: CleanUp, isFresh = false) => {
  const plain = testConfiguration([], { routes: [testRoute({ upstream: null, builtinHandler: 'health' })] });
  const listeners = plain.listeners.map((each) => ({ ...each, timeouts: { ...plainTimeouts, idleMs } }));
  const gateway = await startInProcess({ ...plain, listeners }, { engineLimits: { drainLingerMs: 0 } });
  cleanUp.add(() => gateway.stop());
  const { fill } = await fillers(cleanUp, 16, 65_536);
  const client = connect(gateway.address.port, '127.0.0.1');
  cleanUp.add(() => void client.destroy());
  const seen = { text: '', isOver: false };
  client.on('error', () => undefined);
  client.on('close', () => {
    seen.isOver = true;
  });
  client.on('data', (octets) => {
    seen.text += octets.toString('latin1');
  });
  if (!isFresh) {
    client.write(get);
    await eventually(() => seen.text.includes('200 OK'));
    seen.text = '';
  }
  await sleep(50);
  /** The request arrives behind more than a turn reads. */
  const request = (): void => {
    fill();
    client.write(get);
  };
  return { gateway, seen, request };
};

const stall = (ms: number): void => {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
};

describe('a request that a turn left in the kernel', () => {
  it.for([
    ['an idle', false],
    ['a fresh', true],
  ] as const)('is answered on %s connection of a drain', async ([_, isFresh], { cleanUp }) => {
    const { gateway, seen, request } = await start(cleanUp, isFresh);
    request();
    const stopped = gateway.stop(5_000);
    await eventually(() => seen.isOver);
    expect(seen.text).toMatch(/^HTTP\/1\.1 200 /);
    await stopped;
  });

  it('is answered after the idle timeout', async ({ cleanUp }) => {
    const { seen, request } = await start(cleanUp);
    request();
    stall(2 * idleMs);
    await eventually(() => seen.text !== '' || seen.isOver);
    expect(seen.text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('does not keep a connection without a request open', async ({ cleanUp }) => {
    const { seen } = await start(cleanUp);
    await eventually(() => seen.isOver);
    expect(seen.text).toBe('');
  });
});
