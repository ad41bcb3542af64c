import { describe, expect } from 'vitest';
import type { UpstreamRequest } from '../../../../../src/application/ports/gateway/upstream-client.js';
import { bodyOctets } from '../../../../support/gateway/scripted-body.js';
import { startSeparateUpstream } from '../../../../support/gateway/separate-upstream.js';
import { testSocketLayers } from '../../../../support/gateway/socket-layers.js';
import { type AwaitedClient, plainUpstreamRequest, targetClient } from '../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';

const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL';
/** What one read takes. */
const readOctets = 65_536;
const sizes = [readOctets - 1, readOctets, readOctets + 1, 2 * readOctets];

const ofLength = (size: number): string => {
  const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${String(length).padStart(8, '0')}\r\n\r\n`;
  const length = size - head(0).length;
  return `${head(length)}${'a'.repeat(length)}`;
};

const inChunks = (size: number): string => {
  const frame = (length: number) =>
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${length.toString(16).padStart(8, '0')}\r\n`;
  const end = '\r\n0\r\n\r\n';
  const length = size - frame(0).length - end.length;
  return `${frame(length)}${'a'.repeat(length)}${end}`;
};

const get: UpstreamRequest = { ...plainUpstreamRequest, method: 'GET' };

const textFrom = async (client: AwaitedClient, request = get): Promise<string> => {
  const outcome = await client.send(request).response;
  if (!outcome.ok) throw new Error(outcome.error.detail);
  return (await bodyOctets(outcome.value.body)).toString();
};

const framings: readonly (readonly [string, (size: number) => string])[] = [
  ['a length', ofLength],
  ['chunks', inChunks],
];
const cases = framings.flatMap(([name, make]) => sizes.map((size) => [name, size, make] as const));

describe('octets after a response', () => {
  const startWith = async (cleanUp: CleanUp, response: string, maxConnections = 1) => {
    const upstream = await startSeparateUpstream(`${response}${evil}`, ofLength(200));
    cleanUp.add(() => upstream.close());
    return targetClient(upstream.port, cleanUp, { maxConnections });
  };

  it.for(cases)('of %s, %i octets long, do not answer a waiting request', async ([_, size, make], { cleanUp }) => {
    const client = await startWith(cleanUp, make(size));
    const [first, second] = [textFrom(client), textFrom(client)];
    expect((await first).length).toBeGreaterThan(size - 200);
    expect(await second).not.toContain('EVIL');
  });

  it.for(cases)(
    'of %s, %i octets long, do not answer the next request of that client',
    async ([_, size, make], { cleanUp }) => {
      const client = await startWith(cleanUp, make(size), 2);
      // It is sent in the microtask in which the end of the one before it is known.
      await textFrom(client);
      expect(await textFrom(client)).not.toContain('EVIL');
    },
  );

  it.for(cases)('of %s, %i octets long, make the connection close', async ([_, size, make], { cleanUp }) => {
    const client = await startWith(cleanUp, make(size));
    await textFrom(client);
    await expect.poll(() => client.figures()).toMatchObject({ activeConnections: 0, idleConnections: 0 });
    expect(await textFrom(client)).not.toContain('EVIL');
  });

  it.for(cases)(
    'of %s, %i octets long, to a refused upgrade, do not answer another request',
    async ([_, size, make], { cleanUp }) => {
      const client = await startWith(cleanUp, make(size));
      const refused = textFrom(client, { ...get, upgradeToWebSocket: true });
      const second = textFrom(client);
      expect((await refused).length).toBeGreaterThan(size - 200);
      expect(await second).not.toContain('EVIL');
    },
  );

  // On native sockets such a connection is closed: when they would be read is not known there.
  it.for(framings)(
    'that never arrive let a connection of %s be reused, on sockets of Node',
    async ([_, make], { cleanUp }) => {
      const upstream = await startSeparateUpstream(make(readOctets), ofLength(200));
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
      const [first, second] = [textFrom(client), textFrom(client)];
      await Promise.all([first, second]);
      await expect.poll(() => client.figures().idleConnections).toBe(1);
      expect(upstream.connections()).toBe(testSocketLayers.name === 'node' ? 1 : 2);
    },
  );
});
