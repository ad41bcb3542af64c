import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { bodyOctets } from '../../support/gateway/scripted-body.js';
import { fillers, serverOf, sleep } from '../../support/gateway/stream-socket-attacks.js';
import { plainUpstreamRequest, targetClient } from '../../support/gateway/target-clients.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL';
const ofLength = (size: number): string => {
  const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${String(length).padStart(8, '0')}\r\n\r\n`;
  const length = size - head(0).length;
  return `${head(length)}${'a'.repeat(length)}`;
};
const get = { ...plainUpstreamRequest, method: 'GET' };

describe('octets behind a response of exactly one full read', () => {
  it('do not answer the next request, where others fill the arena of the next turn', async ({ cleanUp }) => {
    const heads: Socket[] = [];
    const { port } = await serverOf(cleanUp, (socket) => {
      socket.on('data', () => heads.push(socket));
    });
    const client = targetClient(port, cleanUp, { maxConnections: 1 });
    const others = await fillers(cleanUp, 14, 60_000);
    const textOf = async (): Promise<string> => {
      const outcome = await client.send(get).response;
      if (!outcome.ok) throw new Error(outcome.error.detail);
      return (await bodyOctets(outcome.value.body)).toString();
    };
    // The kernel's buffer grows.
    const warm = textOf();
    await eventually(() => heads.length === 1);
    heads[0]?.write(ofLength(8_000_000));
    await warm;
    await sleep(50);
    const [first, second] = [textOf(), textOf()];
    await eventually(() => heads.length === 2);
    heads[1]?.write(`${ofLength(65_536)}${evil}`);
    others.fill();
    expect((await first).length).toBeGreaterThan(20_000);
    void eventually(() => heads.length === 3).then(() => heads[2]?.write(ofLength(200)));
    const text = await second;
    expect(text, JSON.stringify(others.reads)).not.toContain('EVIL');
  });
});
