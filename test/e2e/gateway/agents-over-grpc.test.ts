import { describe, expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { type OpensslCertificate, OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { runAgent, runGateway } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const keys = 'api-keys "key-of-alice:alice"';
const withKey = { headers: { 'X-API-Key': 'key-of-alice' } };

describe('an agent over gRPC', () => {
  let stack: GatewayStack;
  let metricsPort: number;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    metricsPort = await freePort();
    const address = `127.0.0.1:${await freePort()}`;
    stack = await startStack(cleanUp, {
      transport: 'socket',
      reachedBy: `transport { grpc "${address}" }`,
      // A busy machine is no outage.
      agentMembers: 'timeout-ms 10000',
      agentArguments: ['--grpc-address', address, '--metrics-address', `127.0.0.1:${metricsPort}`],
      agentConfig: keys,
      blocks: 'limits { max-connections-per-client 1000 }',
    });
  });

  it('serves its own metrics at --metrics-address', async () => {
    await stack.ask(withKey);
    await stack.ask();
    const { status, headers, body } = await call(metricsPort, { path: '/metrics' });
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toMatch(/^auth_success_total\{method="api_key"\} 1$/m);
    expect(body).toMatch(/^auth_duration_seconds_count \d+$/m);
    expect(body).toMatch(/^# TYPE auth_requests_total counter$/m);
    expect((await call(metricsPort, { path: '/' })).status).toBe(404);
    expect((await call(metricsPort, { path: '/metrics', method: 'POST' })).status).toBe(405);
  });

  it('decides over TCP, and is found again after a kill', async () => {
    expect((await stack.ask()).status).toBe(401);
    expect((await stack.ask(withKey)).status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => stack.ask(index % 2 === 0 ? withKey : {})),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 2 === 0 ? 200 : 401)));
    stack.agent().signal('SIGKILL');
    await untilTrue('the gateway notices', async () => (await stack.ask(withKey)).status === 503);
    stack.restartAgent();
    await untilTrue('the agent is back', async () => (await stack.ask(withKey)).status === 200);
  });

  it('drains without losing a request', async () => {
    await stack.agentsPresent();
    const before = Array.from({ length: 50 }, () => stack.ask(withKey));
    expect((await Promise.all(before)).every(({ status }) => status === 200)).toBe(true);
    stack.agent().signal('SIGTERM');
    expect(await stack.agent().exited).toEqual({ code: 0, signal: null });
  });

  it('is refused without TLS on a public address, on either side', async ({ folder }) => {
    const agent = runAgent(['--socket', folder.file('a.sock'), '--grpc-address', '0.0.0.0:0'], { API_KEYS: 'k:n' });
    expect((await agent.exited).code).toBe(1);
    expect(agent.output()).toContain('grpc-insecure');
    const file = folder.write(
      'gateway.kdl',
      'agents { agent "a" { transport { grpc "10.1.2.3:50051" } } }\nlisteners { listener "l" { address "127.0.0.1:0" } }',
    );
    const gateway = runGateway(['--config', file, '--test']);
    expect((await gateway.exited).code).toBe(1);
    expect(gateway.output()).toContain('insecure');
  });
});

describeWithPeers(['openssl'], 'an agent over gRPC with TLS', () => {
  let stack: GatewayStack;
  // One agent, and a gateway that comes to it in every way; each has a route of its own.
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const certificates = new OpensslCertificates();
    cleanUp.add(() => certificates.remove());
    const authority = certificates.authority('agents-authority');
    const other = certificates.authority('another-authority');
    const agent = certificates.server('agent', { by: authority, names: ['IP:127.0.0.1'] });
    const gateway = certificates.client('gateway', { by: authority });
    const stranger = certificates.client('stranger', { by: other });
    const address = `127.0.0.1:${await freePort()}`;

    const transportBy = (ca: OpensslCertificate, shown: OpensslCertificate | null): string =>
      `transport { grpc { address "${address}"; tls { ca-cert-file "${ca.certificateFile}"; ${
        shown === null ? '' : `cert-file "${shown.certificateFile}"; key-file "${shown.keyFile}"`
      } } } }`;
    const refused = (name: string, ca: OpensslCertificate, shown: OpensslCertificate | null): string => `
      agents { agent "${name}" { ${transportBy(ca, shown)}; config { ${keys} } } }
      routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}" } }`;

    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const serving = runAgent([
      ...['--socket', folder.file('agent.sock'), '--grpc-address', address],
      ...['--grpc-tls-cert-file', agent.certificateFile, '--grpc-tls-key-file', agent.keyFile],
      ...['--grpc-client-ca-file', authority.certificateFile],
    ]);
    cleanUp.add(() => serving.stop());
    // Before there is a gateway, so that whoever of it does not reach the agent cannot have come too early.
    await serving.wrote(/"grpc":/);
    stack = await startStack(cleanUp, {
      startAgent: false,
      transport: 'socket',
      reachedBy: transportBy(authority, gateway),
      agentConfig: keys,
      blocks: [
        refused('shows-none', authority, null),
        refused('stranger', authority, stranger),
        refused('distrustful', other, gateway),
      ].join('\n'),
    });
    await stack.gateway.wrote(/"Agent connected"/);
  });

  it('decides for a gateway with a certificate of its authority', async () => {
    expect((await stack.ask(withKey)).status).toBe(200);
    expect((await stack.ask()).status).toBe(401);
  });

  it.each([
    ['shows none', 'shows-none'],
    ['shows one of another authority', 'stranger'],
    ['does not know the authority of the agent', 'distrustful'],
  ])('does not decide for a gateway that %s', async (_what, name) => {
    const saidOf = (message: RegExp): boolean =>
      stack.gateway
        .output()
        .split('\n')
        .some((line) => message.test(line) && line.includes(`"agent":"${name}"`));
    await untilTrue('it has tried', () => saidOf(/Agent unreachable|Agent refused/));
    expect((await stack.ask({ ...withKey, path: `/${name}` })).status).toBe(503);
    expect(saidOf(/Agent connected/)).toBe(false);
  });
});
