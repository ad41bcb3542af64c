import { describe, expect } from 'vitest';
import { sleep } from '../../support/gateway/stream-socket-attacks.js';
import { SocketLayerDriver } from '../../support/native/socket-layer-driver.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

describe('a failed queued write', () => {
  it('is reported behind all that had arrived, also where a turn handles the socket twice', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp, { arenaOctets: 131_072, rows: 64 });
    const peers = new SocketLayerDriver(cleanUp, { maxQueuedOctets: 1 << 24 });
    const { port } = await peers.listen();
    const pair = async () => {
      const before = peers.of('accepted').length;
      const near = driver.connect('127.0.0.1', port);
      await eventually(() => peers.of('accepted').length > before);
      await driver.first('connected', near);
      const far = peers.of('accepted').at(-1);
      if (!far) throw new Error();
      return { near, far };
    };
    const floods = [await pair(), await pair(), await pair(), await pair(), await pair()];
    const { near, far } = await pair();
    const warm = 8_000_000;
    peers.write(far, Buffer.alloc(warm));
    await eventually(() => driver.received(near).length === warm);
    driver.layer.pause(near.slot, near.generation);
    peers.layer.pause(far.slot, far.generation);
    while (driver.write(near, Buffer.alloc(500_000)) === 0);
    const rest = 200_000;
    expect(peers.write(far, Buffer.alloc(rest))).toBeGreaterThanOrEqual(0);
    await sleep(200);
    expect(peers.layer.queued(far.slot, far.generation)).toBe(0);
    let isReset = false;
    driver.onEvent = () => {
      if (isReset) return;
      isReset = true;
      peers.layer.reset(far.slot, far.generation);
    };
    for (const flood of floods) peers.write(flood.far, Buffer.alloc(30_000));
    driver.layer.resume(near.slot, near.generation);
    await driver.first('error', near);
    const sizes = driver.turns
      .slice(-4)
      .map((turn) => turn.map(({ type, length, slot }) => `${slot} ${type} ${length}`));
    expect(driver.received(near).length - warm, JSON.stringify(sizes)).toBe(rest);
  });
  it('is reported behind all that had arrived, also to a paused socket', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const peers = new SocketLayerDriver(cleanUp);
    const { port } = await peers.listen();
    const near = driver.connect('127.0.0.1', port);
    await driver.first('connected', near);
    const far = await peers.first('accepted');
    driver.layer.pause(near.slot, near.generation);
    peers.layer.pause(far.slot, far.generation);
    while (driver.write(near, Buffer.alloc(500_000)) === 0);
    peers.write(far, Buffer.alloc(30_000));
    await sleep(100);
    peers.layer.reset(far.slot, far.generation);
    await sleep(200);
    try {
      driver.layer.resume(near.slot, near.generation);
    } catch {
      // It may be inert already.
    }
    await driver.first('error', near);
    expect(driver.received(near).length).toBe(30_000);
  });
  it('is not reported as an end before', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const peers = new SocketLayerDriver(cleanUp);
    const { port } = await peers.listen();
    const near = driver.connect('127.0.0.1', port);
    await driver.first('connected', near);
    const far = await peers.first('accepted');
    peers.layer.pause(far.slot, far.generation);
    while (driver.write(near, Buffer.alloc(500_000)) === 0);
    await sleep(100);
    peers.layer.reset(far.slot, far.generation);
    await driver.first('error', near);
    expect(driver.events.filter(({ slot }) => slot === near.slot).map(({ type }) => type)).not.toContain('end');
  });
});
