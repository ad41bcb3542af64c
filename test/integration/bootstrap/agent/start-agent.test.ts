import { writeFileSync } from 'node:fs';
import { credentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../../src/application/ports/gateway/agent-client.js';
import { agentContainer, type RunningAgent, startAgent } from '../../../../src/bootstrap/agent/start-agent.js';
import type { JsonObject } from '../../../../src/domain/shared/json.js';
import { optionsOf, requestEvent, upstreamHeaders } from '../../../support/agent/test-agent.js';
import { signToken } from '../../../support/agent/test-tokens.js';
import { RecordingReportReader } from '../../../support/gateway/recording-report-reader.js';
import { socketClient } from '../../../support/shared/agent-transports.js';
import { eventually } from '../../../support/shared/eventually.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../support/shared/openssl-certificates.js';
import { RawGrpcGateway } from '../../../support/shared/raw-grpc-gateway.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const secret = 'a secret that is longer than thirty-two bytes';
const inOneHour = () => Math.floor(Date.now() / 1000) + 3600;

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const start = async (config: JsonObject) => {
  const folder = temporaryFolder();
  closing.push(() => folder.remove());
  const logger = new RecordingLogger();
  const overrides = { ...optionsOf(config), socket: folder.file('agent.sock') };
  const started = await startAgent(agentContainer(logger), { overrides, block: {} });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  closing.push(() => started.value.stop());
  return { agent: started.value, logger };
};

const gateway = (agent: RunningAgent, config: JsonObject | null) => {
  const logger = new RecordingLogger();
  const client = socketClient(agent.addresses.socket ?? '', { config }, { connections: 2 }, logger);
  closing.push(() => client.stop(0));
  client.start();
  return { client, logger };
};

const decision = (outcome: AgentOutcome) => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

describe('an agent on its socket', () => {
  it("authenticates with the configuration of the gateway's handshake", async () => {
    const { agent } = await start({});
    const { client } = gateway(agent, { 'jwt-secret': secret, 'user-id-header': 'X-Me' });
    await eventually(() => client.status().connections === 2);
    expect(client.capabilities()?.ownedHeaders).toContain('X-Me');
    const headers = [
      'authorization',
      `Bearer ${signToken('HS256', secret, { sub: 'ann', exp: inOneHour(), n: 'Zoë\r\n' })}`,
      'x_me',
      'root',
    ];
    const outcome = await client.ask(requestEvent(headers));
    if (!outcome.ok) throw new Error(outcome.error.detail);
    expect(upstreamHeaders(headers, outcome.value)).toEqual(
      expect.arrayContaining(['X-Me', 'ann', 'X-Auth-Method', 'jwt', 'X-Auth-Claim-n', 'Zo%C3%AB%0D%0A']),
    );
    expect(upstreamHeaders(headers, outcome.value)).not.toContain('root');
  });

  it('reports at its own interval, not one of the gateway', async () => {
    const { agent } = await start({ 'metrics-interval-secs': 1, 'api-keys': ['key:name'] });
    const { client, logger } = gateway(agent, null);
    const reader = new RecordingReportReader();
    client.reportTo(reader);
    await eventually(() => reader.reports.length === 1);
    expect(reader.reports[0]).toMatchObject({ intervalMs: 1_000 });
    expect(await client.configure({ 'metrics-interval-secs': 2 })).toEqual({ ok: true, value: undefined });
    expect(await client.configure({ 'health-interval-secs': 2 })).toMatchObject({
      error: { kind: 'refused', reason: 'health-interval-secs: it takes effect only at start, where it was 5' },
    });
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('sends its refusals over the wire', async () => {
    const { agent } = await start({ 'api-keys': ['key:name'] });
    const { client } = gateway(agent, null);
    await eventually(() => client.status().connections === 2);
    const outcome = await client.ask(requestEvent(['x-api-key', 'other']));
    expect(outcome).toMatchObject({ ok: true, value: { decision: { kind: 'block', status: 401 } } });
  });

  it('accepts a new configuration while serving, and keeps the old one if the new one is invalid', async () => {
    const { agent } = await start({});
    const { client } = gateway(agent, { 'api-keys': ['key:name'] });
    await eventually(() => client.status().connections === 2);
    expect(await client.configure({ 'api-keys': ['one:name'] })).toMatchObject({ ok: true });
    expect(decision(await client.ask(requestEvent(['x-api-key', 'one'], 'a')))).toBe('allow');
    expect(decision(await client.ask(requestEvent(['x-api-key', 'key'], 'b')))).toBe('block');
    expect(await client.configure({ 'jwt-secret': 'short' })).toMatchObject({ ok: false });
    expect(decision(await client.ask(requestEvent(['x-api-key', 'one'], 'c')))).toBe('allow');
  });

  it('announces its drain, and ends once nothing is in flight', async () => {
    const { agent } = await start({ 'api-keys': ['key:name'] });
    const { client } = gateway(agent, null);
    await eventually(() => client.status().connections === 2);
    await agent.stop();
    await eventually(() => client.status().connections === 0);
    expect(decision(await client.ask(requestEvent(['x-api-key', 'key'])))).toBe('unreachable');
  });

  it('reports its last counts when it ends', async () => {
    const { agent } = await start({ 'api-keys': ['key:name'] });
    const { client } = gateway(agent, null);
    const reader = new RecordingReportReader();
    client.reportTo(reader);
    await eventually(() => client.status().connections === 2);
    expect(decision(await client.ask(requestEvent(['x-api-key', 'key'])))).toBe('allow');
    expect(reader.reports).toEqual([]);
    await agent.stop();
    await eventually(() => client.status().connections === 0);
    const counters = reader.reports.flatMap((report) => report.counters);
    expect(counters.find(({ name }) => name === 'auth_success_total')).toMatchObject({ value: 1 });
    expect(reader.endedIds).toHaveLength(1);
  });

  it('does not start if its socket is in use or its options are invalid', async () => {
    const { agent } = await start({});
    const overrides = { socket: agent.addresses.socket ?? '' };
    const container = agentContainer(new RecordingLogger());
    await expect(startAgent(container, { overrides, block: {} })).rejects.toThrow(/in use/);
    const wrong = { overrides: optionsOf({ 'jwt-public-key': '/no/such/key', 'jwt-algorithm': 'ES256' }), block: {} };
    expect(await startAgent(container, wrong)).toMatchObject({ ok: false });
  });
  it('reloads gRPC certificates, and changes nothing if one file is invalid', async () => {
    const pki = new OpensslCertificates();
    closing.push(() => pki.remove());
    const authorities = [pki.authority('old'), pki.authority('new')] as const;
    const [old, renewed] = authorities.map((by, index) =>
      pki.server(`agent-${index}`, { by, names: ['IP:127.0.0.1'] }),
    );
    if (old === undefined || renewed === undefined) throw new Error('no certificates');
    const folder = temporaryFolder();
    closing.push(() => folder.remove());
    const [certFile, keyFile, keysFile] = [folder.file('cert.pem'), folder.file('key.pem'), folder.file('keys')];
    writeFileSync(certFile, old.certificate);
    writeFileSync(keyFile, old.key);
    writeFileSync(keysFile, 'one:name\n');
    const { agent } = await start({
      'api-keys': [`@${keysFile}`],
      'grpc-address': '127.0.0.1:0',
      'grpc-tls-cert-file': certFile,
      'grpc-tls-key-file': keyFile,
    });
    const isTrustedBy = async (authority: OpensslCertificate): Promise<boolean> => {
      const channel = credentials.createSsl(Buffer.from(authority.certificate));
      const peer = await RawGrpcGateway.connect(agent.addresses.grpc ?? '', channel);
      closing.push(() => peer.close());
      return await peer.processEvent({ ping: { sequence: 1 } }).then(
        () => true,
        () => false,
      );
    };
    const { client } = gateway(agent, null);
    await eventually(() => client.status().connections === 2);
    writeFileSync(certFile, renewed.certificate);
    writeFileSync(keysFile, 'two:name\n');
    expect(await agent.reload()).toMatchObject({ ok: false, error: expect.stringContaining('certificate and key') });
    expect(await isTrustedBy(authorities[0])).toBe(true);
    expect(decision(await client.ask(requestEvent(['x-api-key', 'one'], 'a')))).toBe('allow');
    writeFileSync(keyFile, renewed.key);
    writeFileSync(keysFile, 'no key at all\n');
    expect(await agent.reload()).toMatchObject({ ok: false });
    expect(await isTrustedBy(authorities[0])).toBe(true);
    writeFileSync(keysFile, 'two:name\n');
    expect(await agent.reload()).toEqual({ ok: true, value: undefined });
    expect([await isTrustedBy(authorities[0]), await isTrustedBy(authorities[1])]).toEqual([false, true]);
    expect(decision(await client.ask(requestEvent(['x-api-key', 'two'], 'b')))).toBe('allow');
    writeFileSync(certFile, '');
    expect(await agent.reload()).toMatchObject({ ok: false });
    expect(await isTrustedBy(authorities[1])).toBe(true);
  });
});
