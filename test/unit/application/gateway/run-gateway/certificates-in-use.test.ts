import { describe, expect, it } from 'vitest';
import {
  AgentCertificateFiles,
  CertificatesInUse,
  maxCertificatesPerName,
} from '../../../../../src/application/gateway/run-gateway/certificates-in-use.js';
import type {
  AgentConfiguration,
  AgentTls,
} from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { CertificateDates } from '../../../../../src/domain/shared/certificate-dates.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { testAgent } from '../../../../support/gateway/in-process-gateway.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';

const tls: AgentTls = {
  caCertFile: '/ca.pem',
  certificate: { certFile: '/own.pem', keyFile: '/own.key' },
  serverName: null,
};

const overGrpc = (name: string, changes: Partial<AgentTls> | null = {}): AgentConfiguration => ({
  ...testAgent(name),
  transport: {
    kind: 'grpc',
    address: { kind: 'tcp', host: 'agent.test', port: 443 },
    tls: changes === null ? null : { ...tls, ...changes },
    owner: null,
  },
});

/** A file holds `SUBJECT EXPIRY`; any other text has no certificate. */
const readDates = (text: string): readonly CertificateDates[] => {
  const found = /^(\S+) (\d+)$/.exec(text);
  return found === null ? [] : [{ subject: found[1] as string, expiryMs: Number(found[2]) }];
};

const startAgents = (configurations: readonly AgentConfiguration[], texts: Record<string, string>) => {
  const scheduler = new ManualScheduler(new ManualClock());
  const files = {
    read: async (path: string) => (path in texts ? ok(texts[path] as string) : err('does not exist')),
  };
  const agents = new AgentCertificateFiles(configurations, { files, readDates });
  const certificates = new CertificatesInUse({ listeners: new Map(), upstreams: new Map(), agents });
  const shown = () => certificates.expiries().map(({ use, name, subject, expiryMs }) => [use, name, subject, expiryMs]);
  return { scheduler, agents, certificates, shown };
};

describe('the certificates of gRPC agents', () => {
  it('are the authorities and the client certificate of those with TLS', async () => {
    const texts = { '/ca.pem': 'ca 2', '/own.pem': 'own 1', '/own.key': 'key 0' };
    const agents = [overGrpc('a'), overGrpc('b', { certificate: null }), overGrpc('c', null), testAgent('d')];
    const { agents: files, shown } = startAgents(agents, texts);
    await files.read();
    expect(shown()).toEqual([
      ['agent', 'a', 'own', 1],
      ['agent', 'a', 'ca', 2],
      ['agent', 'b', 'ca', 2],
    ]);
  });

  it('follow their files every five seconds, and keep the last certificate of an unusable file', async () => {
    const texts: Record<string, string> = { '/own.pem': 'own 1' };
    const { agents, certificates, scheduler, shown } = startAgents([overGrpc('a')], texts);
    await agents.read();
    certificates.watch(scheduler);
    certificates.watch(scheduler);
    expect(scheduler.waiting).toBe(1);
    expect(shown()).toEqual([['agent', 'a', 'own', 1]]);
    texts['/own.pem'] = 'own 9';
    texts['/ca.pem'] = 'ca 5';
    await scheduler.advance(5_000);
    expect(shown()).toEqual([
      ['agent', 'a', 'ca', 5],
      ['agent', 'a', 'own', 9],
    ]);
    texts['/own.pem'] = 'nonsense';
    delete texts['/ca.pem'];
    await scheduler.advance(5_000);
    expect(shown()).toHaveLength(2);
    certificates.stopWatching();
    expect(scheduler.waiting).toBe(0);
  });

  it('are not watched where no agent has TLS', () => {
    const { certificates, scheduler } = startAgents([testAgent('a')], {});
    certificates.watch(scheduler);
    expect(scheduler.waiting).toBe(0);
  });
});

it('the certificates of one upstream are bounded: the first ones to expire stay', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => ({ subject: `CN=${index}`, expiryMs: 1_000 - index }));
  const current = { isUpstreamTlsContext: true, warnings: [], certificates: many } as const;
  const upstream = { current, watch: () => undefined, stopWatching: () => undefined };
  const { agents } = startAgents([], {});
  const certificates = new CertificatesInUse({
    listeners: new Map(),
    upstreams: new Map([['api', upstream]]),
    agents,
  });
  const expiries = certificates.expiries();
  expect(expiries).toHaveLength(maxCertificatesPerName);
  expect(expiries[0]).toEqual({ use: 'upstream', name: 'api', subject: 'CN=999', expiryMs: 1 });
});
