import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EchoUpstream } from '../../../src/adapters/inbound/echo-upstream/echo-upstream.js';
import { startHaproxy, startNginx } from '../../support/gateway/load-balancers.js';
import { freePort } from '../../support/shared/free-port.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import type { RunningProcess } from '../../support/shared/processes.js';
import { startBuiltGateway } from '../../support/shared/running-gateway.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const key = 'key-of-the-load-balancer-test';
const megabyte = 1024 * 1024;

const configuration = (port: number, upstreamPort: number): string => `
listeners {
  listener "behind" {
    address "127.0.0.1:${port}"
    trusted-proxies "127.0.0.1/32"
  }
}
routes {
  route "small" {
    priority "high"
    matches { path-prefix "/small" }
    upstream "echo"
    agents "auth"
    policies { max-body-size "1MB" }
  }
  route "all" {
    matches { path-prefix "/" }
    upstream "echo"
    agents "auth"
    policies { max-body-size "64MB" }
  }
}
upstreams {
  upstream "echo" { target "127.0.0.1:${upstreamPort}" }
}
agents {
  agent "auth" {
    transport "embedded"
    config { api-keys "${key}:balancer" }
  }
}
`;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly text: string;
}

interface Echo {
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyOctets: number;
}

describeWithPeers(['nginx', 'haproxy'], 'behind an existing load balancer', () => {
  const upstream = new EchoUpstream();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let folder: TemporaryFolder;
  let gateway: RunningProcess;
  const balancers = new Map<string, { readonly process: RunningProcess; readonly port: number }>();

  beforeAll(async () => {
    folder = temporaryFolder();
    const upstreamPort = await upstream.listen(0);
    const gatewayPort = await freePort();
    const file = folder.write('gateway.kdl', configuration(gatewayPort, upstreamPort));
    gateway = await startBuiltGateway(file, [gatewayPort], { RUST_LOG: 'info' });
    for (const [name, start] of [
      ['nginx', startNginx],
      ['haproxy', startHaproxy],
    ] as const) {
      const port = await freePort();
      balancers.set(name, { process: await start(folder, port, gatewayPort), port });
    }
  });

  afterAll(async () => {
    agent.destroy();
    for (const { process } of balancers.values()) await process.stop();
    await gateway?.stop();
    await upstream.close();
    folder?.remove();
  });

  const ask = (
    balancer: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer | null = null,
    more: { readonly path?: string; readonly withheldOctets?: number } = {},
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = request({
        agent,
        port: balancers.get(balancer)?.port,
        host: '127.0.0.1',
        path: more.path ?? '/orders',
        method: body === null ? 'GET' : 'POST',
        headers: { ...headers, ...(body !== null && { 'Content-Length': body.length }) },
      });
      asked.on('error', reject);
      asked.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode = 0, socket } = response;
          resolve({ status: statusCode, headers: response.headers, socket, text: Buffer.concat(pieces).toString() });
        });
      });
      if (more.withheldOctets === undefined || body === null) asked.end(body ?? undefined);
      else asked.write(body.subarray(0, body.length - more.withheldOctets));
    });

  const echoOf = ({ text }: Answer): Echo => JSON.parse(text);

  const each = it.each(['nginx', 'haproxy']);

  each('%s forwards the refusal of a request without a credential unchanged', async (balancer) => {
    const answer = await ask(balancer, {});
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('Bearer realm="gateway"');
    expect(answer.headers['x-correlation-id']).toBeTruthy();
  });

  each('%s keeps its connection over many requests', async (balancer) => {
    const first = await ask(balancer, { 'X-API-Key': key });
    for (let count = 0; count < 20; count += 1) {
      const next = await ask(balancer, { 'X-API-Key': key });
      expect(next.status).toBe(200);
      expect(next.socket).toBe(first.socket);
    }
  });

  each('%s supplies the client address', async (balancer) => {
    const answer = await ask(balancer, { 'X-API-Key': key, 'X-Forwarded-For': '203.0.113.9' });
    const forwarded = echoOf(answer).headers['x-forwarded-for'] ?? '';
    // The balancer appends the peer that it saw, 127.0.0.1, which is trusted here too: what it was told comes first.
    expect(forwarded.split(',').map((hop) => hop.trim())).toContain('203.0.113.9');
    expect(answer.status).toBe(200);
    await gateway.wrote(new RegExp(`"correlation_id":"${answer.headers['x-correlation-id']}".*`));
    const record = gateway
      .output()
      .split('\n')
      .find((line) => line.includes(`"${answer.headers['x-correlation-id']}"`));
    expect(JSON.parse(record ?? '{}')).toMatchObject({ client_ip: '203.0.113.9' });
  });

  each('%s cannot carry a forged identity', async (balancer) => {
    const forged = { 'X-User-Id': 'root', 'X-Auth-Method': 'saml', 'X-Auth-Claim-Role': 'admin' };
    const { headers } = echoOf(await ask(balancer, { 'X-API-Key': key, ...forged }));
    expect(headers).toMatchObject({ 'x-user-id': 'balancer', 'x-auth-method': 'api_key' });
    expect(headers).not.toHaveProperty('x-auth-claim-role');
  });

  each('%s forwards large request bodies', async (balancer) => {
    const answer = await ask(balancer, { 'X-API-Key': key }, Buffer.alloc(32 * megabyte, 0x61));
    expect(answer.status).toBe(200);
    expect(echoOf(answer).bodyOctets).toBe(32 * megabyte);
  });

  each('%s forwards the 413 for a body before the client has sent it', async (balancer) => {
    const body = Buffer.alloc(2 * megabyte, 0x61);
    // Most of it is held back: who closes on a client that is still sending may take the answer with the connection.
    const more = { path: '/small', withheldOctets: body.length - 1024 };
    expect((await ask(balancer, { 'X-API-Key': key }, body, more)).status).toBe(413);
  });
});
