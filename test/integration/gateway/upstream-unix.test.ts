import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { UpstreamConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { type Echo, echo } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

/** A server on a unix socket, and the connections that it has accepted. */
const serveOn = async (cleanUp: CleanUp, path: string): Promise<{ server: Server; accepted: Socket[] }> => {
  const server = createServer(echo);
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  cleanUp.add(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, accepted };
};

const startBefore = async (
  cleanUp: CleanUp,
  path: string,
  changes: Partial<UpstreamConfiguration> = {},
): Promise<InProcessGateway> => {
  const gateway = await startInProcess(
    testConfiguration([testUpstream(1, { targets: [{ address: { path }, weight: 1 }], ...changes })]),
  );
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const socketPath = (cleanUp: CleanUp): string => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  return folder.file('app.sock');
};

describe('an upstream on a unix socket', () => {
  it('gets requests with their Host and body, on kept connections', async ({ cleanUp }) => {
    const path = socketPath(cleanUp);
    const { accepted } = await serveOn(cleanUp, path);
    const gateway = await startBefore(cleanUp, path);
    for (let round = 0; round < 10; round += 1) {
      const answer = await fetch(`${gateway.url}/a?b=${round}`, { method: 'POST', body: 'x'.repeat(100_000) });
      const { url, body, rawHeaders } = (await answer.json()) as Echo;
      expect([answer.status, url, body.length]).toEqual([200, `/a?b=${round}`, 100_000]);
      expect(rawHeaders).toContain(gateway.url.slice(7));
    }
    expect(accepted).toHaveLength(1);
  });

  it('has localhost as its own Host', async ({ cleanUp }) => {
    const path = socketPath(cleanUp);
    await serveOn(cleanUp, path);
    const gateway = await startBefore(cleanUp, path, { hostHeader: { kind: 'target' } });
    const { rawHeaders } = (await (await fetch(gateway.url)).json()) as Echo;
    expect(rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'host') + 1]).toBe('localhost');
  });

  it('is 502 while it is absent, and served again when it is back', async ({ cleanUp }) => {
    const path = socketPath(cleanUp);
    const gateway = await startBefore(cleanUp, path);
    const statusOf = async (): Promise<number> => (await fetch(gateway.url)).status;
    expect(await statusOf()).toBe(502);
    expect(gateway.logger.lines.map(({ fields }) => fields['cause']).join('\n')).toMatch(/ENOENT/);
    const { server } = await serveOn(cleanUp, path);
    expect(await statusOf()).toBe(200);
    server.close();
    server.closeAllConnections();
    rmSync(path, { force: true });
    expect(await statusOf()).toBe(502);
    await serveOn(cleanUp, path);
    expect(await statusOf()).toBe(200);
  });

  it('takes WebSockets', async ({ cleanUp }) => {
    const path = socketPath(cleanUp);
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => socket.on('message', (text) => socket.send(`echo ${text}`)));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    cleanUp.add(() => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    });
    const gateway = await startBefore(cleanUp, path);
    const client = new WebSocket(gateway.url.replace('http', 'ws'));
    cleanUp.add(() => client.terminate());
    const heard = new Promise<string>((resolve) => client.on('message', (text) => resolve(String(text))));
    client.on('open', () => client.send('hello'));
    expect(await heard).toBe('echo hello');
  });

  it('is balanced beside an address', async ({ cleanUp }) => {
    const path = socketPath(cleanUp);
    const { accepted } = await serveOn(cleanUp, path);
    const other = createServer(echo);
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => {
      other.close();
      other.closeAllConnections();
    });
    const { port } = other.address() as AddressInfo;
    const targets = [
      { address: { path }, weight: 1 },
      { address: { host: '127.0.0.1', port }, weight: 1 },
    ];
    const gateway = await startBefore(cleanUp, path, { targets });
    for (let round = 0; round < 4; round += 1) expect((await fetch(gateway.url)).status).toBe(200);
    expect(accepted.length).toBeGreaterThan(0);
    expect(new Set(gateway.accessRecords.map(({ target }) => target)).size).toBe(2);
  });
});
