import { beforeEach, describe, expect, it } from 'vitest';
import { ConnectionAdmissions } from '../../../../src/application/admit-connections/connection-admissions.js';
import { FloodLog } from '../../../../src/application/admit-connections/flood-log.js';
import type { RejectedRequest } from '../../../../src/application/ports/http-exchange.js';
import { ProblemAnswerer } from '../../../../src/application/proxy-request/answer-problem.js';
import { ProxyRequest } from '../../../../src/application/proxy-request/proxy-request.js';
import { LocalPermitBook } from '../../../../src/application/share-permits/local-permits.js';
import { TestedRefusals } from '../../../support/connection-admissions.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { plainLimits } from '../../../support/plain-configurations.js';

const notAsked = (): never => {
  throw new Error('no request has come');
};

let parts: TestedRefusals;
let proxy: ProxyRequest;
beforeEach(() => {
  parts = new TestedRefusals();
  const { logger, scheduler, metrics, refusals } = parts;
  const random = { uuid: () => 'an-id', token: notAsked, fraction: notAsked, hex: notAsked };
  const book = new LocalPermitBook();
  book.limit(plainLimits);
  const connections = new ConnectionAdmissions(
    () => new Map(),
    book,
    () => null,
    refusals,
  );
  const problems = new ProblemAnswerer(logger);
  const floodLog = new FloodLog(logger, scheduler);
  const clock = new ManualClock();
  const accessLog = { write: notAsked };
  proxy = new ProxyRequest({ clock, random, logger, floodLog, accessLog, metrics, problems, connections }, notAsked);
});

const rejected = (reason: RejectedRequest['reason']): RejectedRequest => ({
  connection: {
    listener: 'main',
    peerAddress: '192.0.2.1',
    peerPort: 1,
    isUnnamed: false,
    localPort: 2,
    scheme: 'http',
    tls: null,
  },
  reason,
});

describe('what clients send before there is a request', () => {
  it('is a few lines of each kind in a second, then how many were left out; each is answered and counted', async () => {
    const answers = new Set<number>();
    for (let index = 0; index < 100; index += 1) answers.add(proxy.reject(rejected('malformed')).status);
    for (let index = 0; index < 7; index += 1) proxy.reject(rejected('header_too_large'));
    const { logger, scheduler, metrics } = parts;
    expect(logger.lines).toHaveLength(10);
    expect(logger.lines[0]).toMatchObject({
      fields: { error_type: 'malformed_request', client_ip: '192.0.2.1', trace_id: 'an-id' },
    });
    expect(logger.lines[9]).toMatchObject({ level: 'warn', fields: { limit_name: 'max-head-bytes' } });
    await scheduler.advance(1_000);
    expect(logger.lines.slice(10)).toMatchObject([
      { fields: { error_type: 'malformed_request', left_out: 95 } },
      { level: 'warn', fields: { error_type: 'header_too_large', limit_name: 'max-head-bytes', left_out: 2 } },
    ]);
    expect([...answers]).toEqual([400]);
    expect(await metrics.render()).toMatch(/gateway_requests_total\{[^}]*status="400"[^}]*\} 100/);
  });
});

describe('TLS handshakes that fail', () => {
  it('are a few lines in a second of each kind, then how many were left out', async () => {
    const { logger, scheduler } = parts;
    for (let index = 0; index < 600; index += 1) {
      proxy.handshakeFailed({ listener: 'main', peerAddress: '192.0.2.1', code: index < 590 ? 'ONE' : 'OTHER' });
    }
    expect(logger.lines.map(({ fields }) => fields?.['code'])).toEqual([
      ...Array.from({ length: 5 }, () => 'ONE'),
      ...Array.from({ length: 5 }, () => 'OTHER'),
    ]);
    expect(logger.lines[0]).toEqual({
      level: 'info',
      message: 'TLS handshake failed',
      fields: { listener: 'main', client_ip: '192.0.2.1', code: 'ONE' },
    });
    await scheduler.advance(1_000);
    const message = 'TLS handshake failed: lines were left out';
    expect(logger.lines.slice(10)).toEqual([
      { level: 'info', message, fields: { code: 'ONE', left_out: 585 } },
      { level: 'info', message, fields: { code: 'OTHER', left_out: 5 } },
    ]);
    expect(scheduler.waiting).toBe(0);
  });
});

describe('PROXY headers that are refused', () => {
  it('are a few warnings in a second of each kind, then how many were left out', async () => {
    const { logger, scheduler } = parts;
    for (let index = 0; index < 60; index += 1) {
      const reason = index < 50 ? 'untrusted_peer' : 'malformed';
      proxy.proxyHeaderFailed({ listener: 'main', peerAddress: '192.0.2.1', reason });
    }
    expect(logger.lines).toHaveLength(10);
    expect(logger.lines[0]).toEqual({
      level: 'warn',
      message: 'PROXY header refused',
      fields: { listener: 'main', peer_ip: '192.0.2.1', reason: 'untrusted_peer' },
    });
    await scheduler.advance(1_000);
    expect(logger.lines.slice(10).map(({ fields }) => fields)).toEqual([
      { reason: 'untrusted_peer', left_out: 45 },
      { reason: 'malformed', left_out: 5 },
    ]);
  });
});
