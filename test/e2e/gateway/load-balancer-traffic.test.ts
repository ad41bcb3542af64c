import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { beforeEach, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startHaproxy, startNginx } from '../../support/gateway/load-balancers.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const starters = { nginx: startNginx, haproxy: startHaproxy } as const;
type BalancerName = keyof typeof starters;

const key = 'key-behind-a-balancer';
/** Another address of this machine than that of the balancers. */
const clientAddress = '127.0.0.2';
const forgedAddress = '203.0.113.9';
const body = randomBytes(20 * 1024 * 1024);

const digest = (octets: Buffer): string => createHash('sha256').update(octets).digest('hex');

const read = async (stream: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

const ask = (port: number, sent: Sent = {}): Promise<{ readonly status: number; readonly body: Buffer }> =>
  new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        localAddress: clientAddress,
        agent: false,
        method: sent.method ?? 'GET',
        path: sent.path ?? '/orders',
        headers: { 'X-API-Key': key, ...sent.headers },
      },
      (response) => {
        read(response).then((octets) => resolve({ status: response.statusCode ?? 0, body: octets }), reject);
      },
    );
    asked.on('error', reject);
    asked.end(sent.body);
  });

/** Connections of this machine to a port of 127.0.0.1, those that have ended of late among them (proc(5), net/tcp). */
const connectionsTo = (port: number): number => {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  const peers = rows.map((row) => row.trim().split(/ +/)).filter(([, local, remote]) => local === address && remote);
  return new Set(peers.map(([, , remote]) => remote)).size;
};
// One gateway for both balancers: its first listener trusts no proxy, the other trusts those on this machine.
let stack: GatewayStack;
let sayOk: GatewayStack['upstream']['answer'];
it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  stack = await startStack(cleanUp, {
    transport: 'embedded',
    agentConfig: `api-keys "${key}:balanced"`,
    listeners: { trusting: 'trusted-proxies "127.0.0.1/32"' },
    blocks: 'limits { max-body-size-bytes "32MB" }',
  });
  sayOk = stack.upstream.answer;
});
beforeEach(() => {
  stack.upstream.answer = sayOk;
  stack.upstream.received.splice(0);
});

/** Starts a balancer before a port of the gateway; its own port. */
const startBalancer = async (cleanUp: CleanUp, balancer: BalancerName, gatewayPort: number): Promise<number> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const port = await freePort();
  const started = await starters[balancer](folder, port, gatewayPort);
  cleanUp.add(() => started.stop());
  return port;
};

/** The client address in the access line of a request. */
const loggedClient = async (correlationId: string): Promise<unknown> => {
  const output = await stack.gateway.wrote(new RegExp(`"request".*${correlationId}`));
  const line = output.split('\n').find((each) => each.includes(correlationId) && each.includes('"request"')) ?? '{}';
  return (JSON.parse(line) as Record<string, unknown>)['client_ip'];
};

for (const balancer of ['nginx', 'haproxy'] as const) {
  describeWithPeers([balancer], `traffic through ${balancer}`, () => {
    let balancerPort: number;
    it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
      balancerPort = await startBalancer(cleanUp, balancer, stack.portOf('trusting'));
    });

    it('reuses connections to the gateway', async () => {
      await ask(balancerPort);
      const before = connectionsTo(stack.portOf('trusting'));
      for (let count = 0; count < 50; count += 1) expect((await ask(balancerPort)).status).toBe(200);
      expect(connectionsTo(stack.portOf('trusting')) - before).toBeLessThan(5);
    });

    it('has the client address that the balancer saw, not the claimed one', async () => {
      const headers = { 'X-Forwarded-For': forgedAddress, 'X-Correlation-Id': `believed-${balancer}` };
      expect((await ask(balancerPort, { headers })).status).toBe(200);
      expect(await loggedClient(`believed-${balancer}`)).toBe(clientAddress);
    });

    it.each([
      ['with its length', true],
      ['in chunks', false],
    ])('uploads 20 MB unchanged (%s)', async (_name, hasLength) => {
      stack.upstream.answer = (received, response) => {
        void read(received).then((octets) => response.end(digest(octets)));
      };
      const headers: Readonly<Record<string, string>> = hasLength
        ? { 'Content-Length': String(body.length) }
        : { 'Transfer-Encoding': 'chunked' };
      const answer = await ask(balancerPort, { method: 'PUT', headers, body });
      expect(answer).toEqual({ status: 200, body: Buffer.from(digest(body)) });
    });

    it.each([
      ['with its length', true],
      ['in chunks', false],
    ])('downloads 20 MB unchanged (%s)', async (_name, hasLength) => {
      stack.upstream.answer = (received, response) => {
        received.resume();
        if (hasLength) response.setHeader('Content-Length', body.length);
        response.write(body.subarray(0, 1000));
        response.end(body.subarray(1000));
      };
      const answer = await ask(balancerPort);
      expect(answer.status).toBe(200);
      expect(answer.body.length).toBe(body.length);
      expect(digest(answer.body)).toBe(digest(body));
    });

    it('carries a WebSocket in both directions, with its close, after the agent allows it', async ({ cleanUp }) => {
      const server = new WebSocketServer({ server: stack.upstream.server });
      cleanUp.add(() => server.close());
      const greeted = new Promise<IncomingMessage>((resolve) => {
        server.on('connection', (socket, opening) => {
          resolve(opening);
          socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
        });
      });
      const url = `ws://127.0.0.1:${balancerPort}/live?room=1`;

      const refused = new WebSocket(url);
      const refusal = await new Promise<Error>((resolve) => refused.once('error', resolve));
      expect(refusal.message).toContain('401');

      const client = new WebSocket(url, {
        headers: { 'X-API-Key': key, 'X-User-Id': 'mallory', X_User_Id: 'mallory' },
      });
      cleanUp.add(() => client.terminate());
      await new Promise((resolve, reject) => {
        client.once('open', resolve);
        client.once('error', reject);
      });
      const opening = await greeted;
      const received = { method: '', url: opening.url ?? '', rawHeaders: opening.rawHeaders };
      expect(received.url).toBe('/live?room=1');
      expect(valuesOf(received, 'x-user-id')).toEqual(['balanced']);
      expect(JSON.stringify(received)).not.toContain('mallory');
      const echoed = (): Promise<Buffer> =>
        new Promise((resolve) => client.once('message', (data) => resolve(data as Buffer)));
      for (const message of [Buffer.from('hello'), body.subarray(0, 1024 * 1024)]) {
        const answer = echoed();
        client.send(message);
        expect(digest(await answer)).toBe(digest(message));
      }
      const closed = new Promise<number>((resolve) => client.once('close', resolve));
      for (const socket of server.clients) socket.close(4321, 'enough');
      expect(await closed).toBe(4321);
    });
  });

  describeWithPeers([balancer], `${balancer} without trusted-proxies`, () => {
    it('is itself the client, and its forwarded headers are ignored', async ({ cleanUp }) => {
      const balancerPort = await startBalancer(cleanUp, balancer, stack.port);
      const headers = { 'X-Forwarded-For': forgedAddress, 'X-Correlation-Id': `unknown-${balancer}` };
      expect((await ask(balancerPort, { headers })).status).toBe(200);
      expect(await loggedClient(`unknown-${balancer}`)).toBe('127.0.0.1');
      const [received] = stack.upstream.received;
      expect(received && valuesOf(received, 'x-forwarded-for')).toEqual(['127.0.0.1']);
      expect(JSON.stringify(received)).not.toContain(forgedAddress);
    });
  });
}
