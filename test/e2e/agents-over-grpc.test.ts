import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.js';
import { freePort } from '../support/free-port.js';
import { startStack, untilTrue } from '../support/gateway-stack.js';
import { call } from '../support/http-call.js';
import { OpensslCertificates } from '../support/openssl-certificates.js';
import { describeWithPeers } from '../support/peers.js';
import { runAgent, runGateway } from '../support/running-gateway.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const cleanUp = new CleanUp();
afterEach(() => cleanUp.run());

const keys = 'api-keys "key-of-alice:alice"';
const withKey = { headers: { 'X-API-Key': 'key-of-alice' } };

/** A whole stack whose agent is reached as `transport` says; the agent serves gRPC at the address that it is told. */
const stackOver = async (transport: string, agentArguments: readonly string[], awaitsAgent = true) =>
  startStack(cleanUp, {
    awaitsAgent,
    transport: 'socket',
    agentArguments,
    reachedBy: transport,
    agentConfig: keys,
  });

describe('an agent over gRPC', () => {
  it('is asked over TCP, beside its socket, and found again after it was killed', async () => {
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const stack = await stackOver(`transport { grpc "${address}" }`, ['--grpc-address', address]);
    await stack.agentsPresent();
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

  it('drains without a lost request', async () => {
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const stack = await stackOver(`transport { grpc "${address}" }`, ['--grpc-address', address]);
    await stack.agentsPresent();
    const before = Array.from({ length: 50 }, () => stack.ask(withKey));
    expect((await Promise.all(before)).every(({ status }) => status === 200)).toBe(true);
    stack.agent().signal('SIGTERM');
    expect(await stack.agent().exited).toEqual({ code: 0, signal: null });
  });

  it('serves its metrics by their own names where it is told to', async () => {
    const port = await freePort();
    const stack = await startStack(cleanUp, {
      transport: 'socket',
      agentArguments: ['--metrics-address', `127.0.0.1:${port}`],
      agentConfig: keys,
    });
    await stack.agentsPresent();
    await stack.ask(withKey);
    await stack.ask();
    const { status, headers, body } = await call(port, { path: '/metrics' });
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toMatch(/^auth_success_total\{method="api_key"\} 1$/m);
    expect(body).toMatch(/^auth_duration_seconds_count \d+$/m);
    expect(body).toMatch(/^# TYPE auth_requests_total counter$/m);
    expect((await call(port, { path: '/' })).status).toBe(404);
    expect((await call(port, { path: '/metrics', method: 'POST' })).status).toBe(405);
  });

  it('is refused where others could read along, on either side', async () => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
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
  const certificates = new OpensslCertificates();
  afterAll(() => certificates.remove());
  const authority = certificates.authority('agents-authority');
  const other = certificates.authority('another-authority');
  const agent = certificates.server('agent', { by: authority, names: ['IP:127.0.0.1'] });
  const gateway = certificates.client('gateway', { by: authority });
  const stranger = certificates.client('stranger', { by: other });

  const served = (port: number): readonly string[] => [
    '--grpc-address',
    `127.0.0.1:${port}`,
    '--grpc-tls-cert-file',
    agent.certificateFile,
    '--grpc-tls-key-file',
    agent.keyFile,
    '--grpc-client-ca-file',
    authority.certificateFile,
  ];

  const transportBy = (port: number, ca: string, shown: { certificateFile: string; keyFile: string } | null): string =>
    `transport { grpc { address "127.0.0.1:${port}"; tls { ca-cert-file "${ca}"; ${
      shown === null ? '' : `cert-file "${shown.certificateFile}"; key-file "${shown.keyFile}"`
    } } } }`;

  it('is asked by a gateway that shows a certificate of its authority', async () => {
    const port = await freePort();
    const stack = await stackOver(transportBy(port, authority.certificateFile, gateway), served(port));
    await stack.agentsPresent();
    expect((await stack.ask(withKey)).status).toBe(200);
    expect((await stack.ask()).status).toBe(401);
  });

  it.each([
    ['shows none', authority.certificateFile, null],
    ['shows one of another authority', authority.certificateFile, stranger],
    ['does not know the authority of the agent', other.certificateFile, gateway],
  ] as const)('is not asked by a gateway that %s', async (_what, ca, shown) => {
    const port = await freePort();
    const stack = await stackOver(transportBy(port, ca, shown), served(port), false);
    await stack.agent().wrote(/"grpc":/);
    await stack.gateway.wrote(/Agent unreachable|Agent refused/);
    expect((await stack.ask(withKey)).status).toBe(503);
    expect(stack.gateway.output()).not.toContain('Agent connected');
  });
});
