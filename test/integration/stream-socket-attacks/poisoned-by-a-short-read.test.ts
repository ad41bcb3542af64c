import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { bodyOctets } from '../../support/gateway/scripted-body.js';
import { fillers, serverOf } from '../../support/gateway/stream-socket-attacks.js';
import { plainUpstreamRequest, targetClient } from '../../support/gateway/target-clients.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const arena = 262_144;
const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL';
const ofLength = (size: number): string => {
  const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${String(length).padStart(8, '0')}\r\n\r\n`;
  const length = size - head(0).length;
  return `${head(length)}${'a'.repeat(length)}`;
};
const get = { ...plainUpstreamRequest, method: 'GET' };

describe('octets behind a response', () => {
  it('do not answer the next request, where the arena had no room for them', async ({ cleanUp }) => {
    const heads: { socket: Socket; text: string }[] = [];
    const { port } = await serverOf(cleanUp, (socket) => {
      socket.on('data', (octets) => heads.push({ socket, text: octets.toString('latin1') }));
    });
    const client = targetClient(port, cleanUp, { maxConnections: 1 });
    const others = await fillers(cleanUp, 4, 60_000);
    const textOf = async (): Promise<string> => {
      const outcome = await client.send(get).response;
      if (!outcome.ok) throw new Error(outcome.error.detail);
      return (await bodyOctets(outcome.value.body)).toString();
    };
    const [first, second] = [textOf(), textOf()];
    await eventually(() => heads.length === 1);
    const size = arena - 4 * 60_000;
    others.fill();
    heads[0]?.socket.write(`${ofLength(size)}${evil}`);
    expect((await first).length).toBeGreaterThan(20_000);
    void eventually(() => heads.length === 2).then(() => heads[1]?.socket.write(ofLength(200)));
    expect(await second).not.toContain('EVIL');
    expect(others.reads).toEqual([60_000, 60_000, 60_000, 60_000]);
  });
});
