import { beforeEach, describe, expect, it } from 'vitest';
import { ConnectionAdmissions } from '../../../../../src/application/gateway/admit/connection-admissions.js';
import { FloodLog } from '../../../../../src/application/gateway/admit/flood-log.js';
import { ProblemAnswerer } from '../../../../../src/application/gateway/proxy-request/answer-problem.js';
import type { Stage } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { RouteHeaderRules } from '../../../../../src/application/gateway/proxy-request/header-rules-in-force.js';
import {
  type ActiveConfiguration,
  ProxyRequest,
} from '../../../../../src/application/gateway/proxy-request/proxy-request.js';
import { noCertificateHeaders } from '../../../../../src/application/gateway/proxy-request/stages/prepare-headers.js';
import { LocalPermitBook } from '../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { AccessRecord } from '../../../../../src/application/ports/gateway/access-log.js';
import type { RejectedRequest } from '../../../../../src/application/ports/gateway/http-exchange.js';
import type { HeaderRules } from '../../../../../src/domain/gateway/route-transforms/header-rules.js';
import {
  type PlaceholderTemplate,
  parseTemplate,
} from '../../../../../src/domain/gateway/route-transforms/placeholder-template.js';
import { type CidrSet, compileCidrs, noCidrs } from '../../../../../src/domain/http/cidr-set.js';
import { directClient } from '../../../../../src/domain/http/client-address.js';
import { ownedHeaders } from '../../../../../src/domain/http/owned-headers.js';
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
let newProxy: (current: () => ActiveConfiguration) => ProxyRequest;
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
  newProxy = (current) => new ProxyRequest(dependencies, { current });
  proxy = newProxy(() => withStage(notAsked));
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

/** A configuration with one stage. */
const withStage = (stage: Stage): ActiveConfiguration => ({
  stages: [stage],
  responseRules: [],
  rejectionRules: null,
  errorPage: null,
  trustedProxies: new Map(),
  certificateHeaders: noCertificateHeaders,
  tracing: null,
  closing: false,
  requestStarted: () => undefined,
  requestEnded: () => undefined,
});

/** The response to a request that goes through one stage. */
const handled = (stage: Stage, response = new RecordedResponse()): RecordedResponse => {
  const path = withStage(stage);
  newProxy(() => path).handle(newExchange().request, response);
  return response;
};

describe('the access log', () => {
  /** The response for a client that disconnects when it begins. `headSent`: its head was sent. */
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
  ])('has status %i if headSent is %s when the client disconnects', (status, headSent) => {
    handled((exchange) => {
      exchange.outcome.status = 200;
      exchange.response.begin(200, [], false);
      return 'ended';
    }, new AbandonedResponse(headSent));
    expect(records).toMatchObject([{ status, errorType: 'client_gone' }]);
  });
});

describe('an internal error', () => {
  const thrower = (): never => {
    throw new Error('a fault');
  };

  it('gets a 500, whether a stage throws it or a promise rejects', async () => {
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

  it('aborts the response if no error can be sent', () => {
    const response = new RecordedResponse();
    response.send = thrower;
    expect(handled(thrower, response).state).toBe('cut');
  });
});

describe('the client of a request', () => {
  const compiled = compileCidrs(['192.0.2.0/24']);
  const proxies = compiled.ok ? compiled.value : noCidrs;

  /** The clients of consecutive requests on one connection, as the stages see them. */
  const clientsOf = (
    requests: readonly { readonly trusted: CidrSet | null; readonly fields: readonly string[] }[],
    isUnnamed = false,
  ): readonly string[] => {
    const clients: string[] = [];
    const { connection } = newExchange().request;
    const direct = directClient('192.0.2.1', connection.peerPort);
    const kept = { ...connection, peerAddress: '192.0.2.1', direct, isUnnamed };
    for (const { trusted, fields } of requests) {
      const path: ActiveConfiguration = {
        stages: [
          ({ client }) => {
            clients.push(`${client.address} by ${client.source}`);
            return 'ended';
          },
        ],
        responseRules: [],
        errorPage: null,
        rejectionRules: null,
        trustedProxies: new Map(trusted === null ? [] : [[kept.listener, trusted]]),
        certificateHeaders: noCertificateHeaders,
        tracing: null,
        closing: false,
        requestStarted: () => undefined,
        requestEnded: () => undefined,
      };
      const { request } = newExchange({ connection: kept, headers: fields });
      newProxy(() => path).handle(request, new RecordedResponse());
    }
    return clients;
  };

  it('is the one that its trusted proxy names, whatever earlier requests on the connection named', () => {
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

  it('follows the configuration in force, also on a connection that outlives a reload', () => {
    const fields = ['X-Forwarded-For', '198.51.100.1'];
    expect(
      clientsOf([
        { trusted: null, fields },
        { trusted: proxies, fields },
        { trusted: noCidrs, fields },
      ]),
    ).toEqual(['192.0.2.1 by connection', '198.51.100.1 by x_forwarded_for', '192.0.2.1 by connection']);
  });

  it('is the peer if a PROXY header is required but names no client', () => {
    const asked = { trusted: proxies, fields: ['X-Forwarded-For', '198.51.100.1'] };
    expect(clientsOf([asked, asked], true)).toEqual(['192.0.2.1 by connection', '192.0.2.1 by connection']);
  });
});

describe('rejected requests', () => {
  it('log a few lines of each kind per second, then a count of the omitted ones; each is answered and counted', async () => {
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

  it('get the response-header rules of defaults, in which values of a request are empty', () => {
    const template = (text: string): PlaceholderTemplate => {
      const parsed = parseTemplate(text);
      if (!parsed.ok) throw new Error(parsed.error);
      return parsed.value;
    };
    const rules: HeaderRules = {
      remove: ['Cache-Control'],
      set: [
        { name: 'X-Seen', value: template('{client_ip} {scheme} {correlation_id} {path}{user_id}{host}') },
        { name: 'X-Path', value: template('{path}') },
      ],
      add: [],
    };
    const rejectionRules = new RouteHeaderRules(rules, () => ownedHeaders([]));
    const answer = newProxy(() => ({ ...withStage(notAsked), rejectionRules })).reject(rejected('malformed'));
    expect(answer.headers).toContain('192.0.2.1 http an-id');
    expect(answer.headers).not.toContain('X-Path');
    expect(answer.headers).not.toContain('Cache-Control');
  });
});

describe('failed TLS handshakes', () => {
  it('log a few lines of each kind per second, then a count of the omitted ones', async () => {
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
    const message = 'TLS handshake failed: lines omitted';
    expect(logger.lines.slice(10)).toEqual([
      { level: 'info', message, fields: { code: 'ONE', left_out: 585 } },
      { level: 'info', message, fields: { code: 'OTHER', left_out: 5 } },
    ]);
    expect(scheduler.waiting).toBe(0);
  });
});

describe('refused PROXY headers', () => {
  it('log a few warnings of each kind per second, then a count of the omitted ones', async () => {
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
