import { beforeEach, describe, expect, it } from 'vitest';
import { ConnectionAdmissions } from '../../../../../src/application/gateway/admit/connection-admissions.js';
import { FloodLog } from '../../../../../src/application/gateway/admit/flood-log.js';
import { ProblemAnswerer } from '../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { noCertificateHeaders } from '../../../../../src/application/gateway/proxy-request/certificate-headers.js';
import type { Stage } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { ProxyRequest, type RequestPath } from '../../../../../src/application/gateway/proxy-request/proxy-request.js';
import { LocalPermitBook } from '../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { AccessRecord } from '../../../../../src/application/ports/gateway/access-log.js';
import type { RejectedRequest } from '../../../../../src/application/ports/gateway/http-exchange.js';
import { type CidrSet, compileCidrs, noCidrs } from '../../../../../src/domain/http/cidr-set.js';
import { directClient } from '../../../../../src/domain/http/client-address.js';
import { TestedRefusals } from '../../../../support/gateway/connection-admissions.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';
import { RecordedResponse } from '../../../../support/gateway/recorded-response.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const notAsked = (): never => {
  throw new Error('no request has come');
};

let parts: TestedRefusals;
let records: AccessRecord[];
let proxy: ProxyRequest;
let newProxy: (current: () => RequestPath) => ProxyRequest;
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
  records = [];
  const accessLog = { isOn: true, write: (record: AccessRecord) => void records.push(record) };
  const dependencies = { clock, random, logger, floodLog, accessLog, metrics, problems, connections };
  newProxy = (current) => new ProxyRequest(dependencies, current);
  proxy = newProxy(notAsked);
});

const rejected = (reason: RejectedRequest['reason']): RejectedRequest => ({
  connection: {
    listener: 'main',
    peerAddress: '192.0.2.1',
    peerPort: 1,
    isUnnamed: false,
    scheme: 'http',
    tls: null,
    direct: directClient('192.0.2.1', 1),
  },
  reason,
});

/** The answer to a request that goes through one stage. */
const handled = (stage: Stage, response = new RecordedResponse()): RecordedResponse => {
  const path: RequestPath = {
    stages: [stage],
    trustedProxies: new Map(),
    certificateHeaders: noCertificateHeaders,
    tracing: null,
    closing: false,
    entered: () => undefined,
    left: () => undefined,
  };
  newProxy(() => path).handle(newExchange().request, response);
  return response;
};

describe('the access log', () => {
  /** The response of a client that goes away as soon as it is begun; `headSent` says whether its head went out. */
  class AbandonedResponse extends RecordedResponse {
    readonly #isHeadSent: boolean;
    #listener: ((completed: boolean) => void) | null = null;

    constructor(isHeadSent: boolean) {
      super();
      this.#isHeadSent = isHeadSent;
    }

    override get headSent(): boolean {
      return this.#isHeadSent;
    }

    override onClosed(listener: (completed: boolean) => void): void {
      this.#listener = listener;
    }

    override begin(): void {
      this.#listener?.(false);
    }
  }

  it.each([
    [200, true],
    [499, false],
  ])('has status %i where headSent is %s when the client goes away', (status, headSent) => {
    handled((exchange) => {
      exchange.outcome.status = 200;
      exchange.response.begin(200, [], false);
      return 'ended';
    }, new AbandonedResponse(headSent));
    expect(records).toMatchObject([{ status, errorType: 'client_gone' }]);
  });
});

describe('a fault of the gateway', () => {
  const thrower = (): never => {
    throw new Error('a fault');
  };

  it('is a 500, whether it is thrown by a stage or where nobody waits for it', async () => {
    const stages: Stage[] = [
      thrower,
      async () => thrower(),
      (exchange) => {
        queueMicrotask(() => exchange.fail(new Error('a fault')));
        return 'ended';
      },
    ];
    for (const stage of stages) {
      const response = handled(stage);
      await settled();
      expect([response.status, response.problem]).toEqual([500, 'internal_error']);
      expect(response.text).not.toContain('a fault');
    }
    const lines = parts.logger.lines.filter(({ message }) => message === 'a stage failed');
    expect(lines.map(({ fields }) => String(fields?.['error']).includes('a fault'))).toEqual([true, true, true]);
  });

  it('cuts the connection where it cannot be told', () => {
    const response = new RecordedResponse();
    response.send = thrower;
    expect(handled(thrower, response).state).toBe('cut');
  });
});

describe('the client of a request', () => {
  const compiled = compileCidrs(['192.0.2.0/24']);
  const proxies = compiled.ok ? compiled.value : noCidrs;

  /** The clients of requests that come one after the other by one connection, as the stages get to know them. */
  const clientsOf = (
    requests: readonly { readonly trusted: CidrSet | null; readonly fields: readonly string[] }[],
    isUnnamed = false,
  ): readonly string[] => {
    const clients: string[] = [];
    const { connection } = newExchange().request;
    const direct = directClient('192.0.2.1', connection.peerPort);
    const kept = { ...connection, peerAddress: '192.0.2.1', direct, isUnnamed };
    for (const { trusted, fields } of requests) {
      const path: RequestPath = {
        stages: [
          ({ client }) => {
            clients.push(`${client.address} by ${client.source}`);
            return 'ended';
          },
        ],
        trustedProxies: new Map(trusted === null ? [] : [[kept.listener, trusted]]),
        certificateHeaders: noCertificateHeaders,
        tracing: null,
        closing: false,
        entered: () => undefined,
        left: () => undefined,
      };
      const { request } = newExchange({ connection: kept, headers: fields });
      newProxy(() => path).handle(request, new RecordedResponse());
    }
    return clients;
  };

  it('is the one that its trusted proxy names, whomever requests before it on the connection were of', () => {
    const trusted = proxies;
    expect(
      clientsOf([
        { trusted, fields: ['X-Forwarded-For', '198.51.100.1'] },
        { trusted, fields: ['X-Forwarded-For', '198.51.100.2'] },
        { trusted, fields: [] },
        { trusted, fields: ['Forwarded', 'for=198.51.100.3'] },
      ]),
    ).toEqual([
      '198.51.100.1 by x_forwarded_for',
      '198.51.100.2 by x_forwarded_for',
      '192.0.2.1 by connection',
      '198.51.100.3 by forwarded',
    ]);
  });

  it('is found by the configuration that is in force, on a connection that outlives a reload, too', () => {
    const fields = ['X-Forwarded-For', '198.51.100.1'];
    expect(
      clientsOf([
        { trusted: null, fields },
        { trusted: proxies, fields },
        { trusted: noCidrs, fields },
      ]),
    ).toEqual(['192.0.2.1 by connection', '198.51.100.1 by x_forwarded_for', '192.0.2.1 by connection']);
  });

  it('is the peer where that has to name its clients in PROXY headers, and has named none', () => {
    const asked = { trusted: proxies, fields: ['X-Forwarded-For', '198.51.100.1'] };
    expect(clientsOf([asked, asked], true)).toEqual(['192.0.2.1 by connection', '192.0.2.1 by connection']);
  });
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
