import { describe, expect } from 'vitest';
import { type SocketId, SocketLayerDriver } from '../../support/native/socket-layer-driver.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { startProcess } from '../../support/shared/processes.js';

const share = 64 * 1024;

describe('a turn', () => {
  it('accepts 64 connections of a listener at most', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { port } = await driver.listen();
    for (let count = 0; count < 200; count += 1) driver.connect('127.0.0.1', port);
    await eventually(() => driver.of('accepted').length === 200);
    const perTurn = driver.turns.map((turn) => turn.filter(({ type }) => type === 'accepted').length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(64);
  });

  it('reads 64 KiB of a socket and says that there is more', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { client, server } = await driver.pair();
    driver.layer.pause(server.slot, server.generation);
    driver.write(client, Buffer.alloc(share + 1));
    driver.layer.resume(server.slot, server.generation);
    await eventually(() => driver.received(server).length === share + 1);
    expect(driver.of('data', server).map(({ length, value }) => [length, value])).toEqual([
      [share, 1],
      [1, 0],
    ]);
  });

  it('leaves to the next what has no room in the arena or the rows', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp, { arenaOctets: 8192, rows: 8 });
    const { port } = await driver.listen();
    const clients = Array.from({ length: 50 }, () => driver.connect('127.0.0.1', port));
    for (const [index, client] of clients.entries()) driver.write(client, `client ${index};`.repeat(200));
    const texts = (): readonly string[] => driver.of('accepted').map((id) => driver.received(id).toString());
    const expected = clients.map((_, index) => `client ${index};`.repeat(200)).sort();
    await eventually(() => texts().join('').length === expected.join('').length);
    expect([...texts()].sort()).toEqual(expected);
    for (const turn of driver.turns) expect(turn.length).toBeLessThanOrEqual(8);
    expect([driver.hasMore.includes(true), driver.hasMore.at(-1)]).toEqual([true, false]);
  });
});

describe('sockets that flood the arena', () => {
  it('do not starve others: each has its turn after at most one round', async ({ cleanUp }) => {
    const [floods, quiets, rounds] = [6, 20, 10];
    const driver = new SocketLayerDriver(cleanUp, { arenaOctets: share + 8192, rows: 64 });
    const { port } = await driver.listen();
    const pairs: { client: SocketId; server: SocketId }[] = [];
    for (let count = 0; count < quiets; count += 1) {
      const client = driver.connect('127.0.0.1', port);
      await eventually(() => driver.of('accepted').length > count);
      pairs.push({ client, server: driver.of('accepted').at(-1) as SocketId });
    }
    for (let count = 0; count < floods; count += 1) {
      const flood = startProcess('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}; exec cat /dev/zero >&3`]);
      cleanUp.add(() => flood.stop());
    }
    await eventually(() => driver.of('accepted').length === quiets + floods);
    const flooding = driver.of('accepted').slice(quiets);
    await eventually(() => flooding.every((id) => driver.of('data', id).length > 0));
    for (let round = 0; round < rounds; round += 1) {
      driver.events.length = 0;
      driver.turns.length = 0;
      for (const { client } of pairs) driver.write(client, 'ping');
      await eventually(() => pairs.every(({ server }) => driver.received(server).length > 0));
      const last = driver.turns.findLastIndex((turn) => turn.some(({ octets }) => octets.toString() === 'ping'));
      // One turn at least for each flooding socket that stood before a quiet one.
      expect(last).toBeLessThan(2 * (floods + quiets));
      for (const turn of driver.turns) for (const { length } of turn) expect(length).toBeLessThanOrEqual(share);
    }
    expect(flooding.every((id) => driver.layer.bytesRead(id.slot, id.generation) > share)).toBe(true);
  });
});
