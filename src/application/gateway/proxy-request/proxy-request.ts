import type { ErrorPageTemplate } from '../../../domain/gateway/error-pages/error-page.js';
import { maxTargetBytes } from '../../../domain/gateway/limits/request-limits.js';
import {
  type PlaceholderName,
  type PlaceholderValues,
  placeholderNames,
} from '../../../domain/gateway/route-transforms/placeholder-template.js';
import { type CidrSet, noCidrs } from '../../../domain/http/cidr-set.js';
import { clientBehind } from '../../../domain/http/client-address.js';
import { acceptCorrelationId, sentCorrelationId } from '../../../domain/http/correlation-id.js';
import { type GatewayProblemCode, gatewayProblems, problemBody } from '../../../domain/http/gateway-problem.js';
import { firstHeader } from '../../../domain/http/header-list.js';
import { loggedMethod } from '../../../domain/http/request-method.js';
import type { AccessLog } from '../../ports/gateway/access-log.js';
import type { GatewayMetrics, RouteMetrics } from '../../ports/gateway/gateway-metrics.js';
import {
  type ConnectionAdmission,
  defaultEngineLimits,
  type HandshakeFailure,
  type ProxyHeaderFailure,
  type RejectionAnswer,
  type RequestHandler,
} from '../../ports/gateway/http-engine.js';
import type { ClientRequest, ClientResponse, RejectedRequest } from '../../ports/gateway/http-exchange.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { ConnectionAdmissions } from '../admit/connection-admissions.js';
import type { FloodLog } from '../admit/flood-log.js';
import type { RequestTrace } from '../trace/request-tracing.js';
import { type ProblemAnswerer, problemHeaders } from './answer-problem.js';
import {
  Exchange,
  type ExchangeOwner,
  type ExchangeView,
  type ResponseHeadRule,
  runStages,
  type Stage,
} from './exchange.js';
import type { RouteHeaderRules } from './header-rules-in-force.js';
import { notifyCompletion } from './notify-completion.js';
import { type CertificateHeaderRules, takeCertificateFields } from './stages/prepare-headers.js';

/** The configuration in force, compiled for requests. */
export interface ActiveConfiguration {
  readonly stages: readonly Stage[];
  /** For responses to requests without a route. */
  readonly responseRules: readonly ResponseHeadRule[];
  /** For errors of requests without a route; null: the standard page. */
  readonly errorPage: ErrorPageTemplate | null;
  /** For answers to input that is no request; null: none. */
  readonly rejectionRules: RouteHeaderRules | null;
  /** Peers whose forwarding headers are trusted, by listener. */
  readonly trustedProxies: ReadonlyMap<string, CidrSet>;
  readonly certificateHeaders: CertificateHeaderRules;
  /** Null while tracing is off. */
  readonly tracing: { begin(exchange: Exchange): RequestTrace } | null;
  /** Responses close their connections, because the gateway drains. */
  readonly closing: boolean;
  /** Called when a request begins. */
  requestStarted(): void;
  /** Called when a request has ended. */
  requestEnded(): void;
}

/** The holder of the configuration in force. */
export interface ConfigurationHolder {
  current(): ActiveConfiguration;
}

export interface ProxyRequestServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Logs events before a request exists. Clients can cause any number of them. */
  readonly floodLog: FloodLog;
  readonly accessLog: AccessLog;
  readonly metrics: GatewayMetrics;
  readonly problems: ProblemAnswerer;
  readonly connections: ConnectionAdmissions;
}

/** nginx's status for a request that the client closed. It appears only in logs and metrics. */
const clientClosedRequest = 499;

const rejections = {
  malformed: ['malformed_request', 'The request is not valid HTTP.'],
  invalid_host: ['invalid_host', 'The Host header is repeated.'],
  header_too_large: ['header_too_large', 'The header section is too large.'],
  target_too_long: ['target_too_long', 'The request line is too long.'],
  method_too_long: ['method_not_implemented', 'The method is too long.'],
  timed_out: ['request_timeout', 'The request head did not arrive in time.'],
} as const satisfies Record<RejectedRequest['reason'], readonly [GatewayProblemCode, string]>;

/** The actual size is unknown, because reading stopped at the limit; `limit + 1` is its minimum. */
const readLimit = (name: string, limit: number): LogFields => ({ limit, limit_name: name, actual: limit + 1 });

/** The limit that a head violates. */
const limitOf = (reason: RejectedRequest['reason']): LogFields | null => {
  if (reason === 'target_too_long') return readLimit('max-target-bytes', maxTargetBytes);
  if (reason === 'header_too_large') return readLimit('max-head-bytes', defaultEngineLimits.maxHeadBytes);
  return null;
};

/** The protocol, as the access log names it. */
const protocolText = (version: string): string => {
  switch (version) {
    case '1.1':
      return 'HTTP/1.1';
    case '2.0':
      return 'HTTP/2.0';
    default:
      return `HTTP/${version}`;
  }
};

/** The path that was forwarded, if it differs from the client's; otherwise null. */
const upstreamPath = ({ forwarded, target }: ExchangeView<'forwarded' | 'target'>): string | null => {
  if (forwarded.target === null) return null;
  const mark = forwarded.target.indexOf('?');
  const path = mark < 0 ? forwarded.target : forwarded.target.slice(0, mark);
  return path === target.path ? null : path;
};

const noValues = Object.fromEntries(placeholderNames.map((name) => [name, ''])) as Record<PlaceholderName, string>;

/** Applies the header rules to an answer without a request, of which only some values are known. */
const withRejectionRules = (
  rules: RouteHeaderRules,
  answer: RejectionAnswer,
  known: Partial<PlaceholderValues>,
): RejectionAnswer => {
  const correlation_id = firstHeader(answer.headers, 'x-correlation-id') ?? '';
  return { ...answer, headers: rules.apply(answer.headers, () => ({ ...noValues, correlation_id, ...known })) };
};

/** Runs each request through the stages of the configuration in force, and records its outcome. */
export class ProxyRequest implements RequestHandler {
  readonly #services: ProxyRequestServices;
  readonly #state: ConfigurationHolder;
  readonly #unrouted: RouteMetrics;
  readonly #owner: ExchangeOwner;

  constructor(services: ProxyRequestServices, state: ConfigurationHolder) {
    this.#services = services;
    this.#state = state;
    this.#unrouted = services.metrics.route(null);
    this.#owner = {
      get isClosing(): boolean {
        return state.current().closing;
      },
      failed: (exchange, error) => this.#failed(exchange, error),
    };
  }

  admit(listener: string, peerAddress: string): ConnectionAdmission | Promise<ConnectionAdmission> {
    const admission = this.#services.connections.admit(listener, peerAddress);
    return admission instanceof Promise
      ? admission.then((settled) => this.#withRules(settled, peerAddress))
      : this.#withRules(admission, peerAddress);
  }

  /** The admission with the header rules applied to the answer of a refusal. */
  #withRules(admission: ConnectionAdmission, client_ip: string): ConnectionAdmission {
    if (admission.kind === 'admitted') return admission;
    const rules = this.#state.current().rejectionRules;
    return rules === null
      ? admission
      : { ...admission, answer: withRejectionRules(rules, admission.answer, { client_ip }) };
  }

  handle(request: ClientRequest, response: ClientResponse): void {
    const { clock, random } = this.#services;
    const path = this.#state.current();
    const id = random.uuid();
    const trusted =
      (request.connection.isUnnamed ? null : path.trustedProxies.get(request.connection.listener)) ?? noCidrs;
    const exchange = new Exchange(
      request,
      response,
      id,
      acceptCorrelationId(sentCorrelationId(request.headers, request.received)) ?? id,
      clientBehind(request.connection.direct, request.headers, trusted),
      clock.turnMs(),
      this.#owner,
    );
    exchange.responseRules = path.responseRules;
    exchange.errorPage = path.errorPage;
    if (path.tracing !== null) exchange.trace = path.tracing.begin(exchange);
    takeCertificateFields(exchange, path.certificateHeaders);
    path.requestStarted();
    response.onClosed((completed) => {
      if (!completed) {
        exchange.outcome.errorType ??= 'client_gone';
        // The log shows a status only if it was sent.
        if (!response.headSent) exchange.outcome.status = 0;
        exchange.abandon();
      }
      // The rest of the body is not needed.
      exchange.body?.cancel();
      exchange.forwarded.inflation?.cancel();
      exchange.mirror?.requestEnded();
      exchange.admission?.release();
      exchange.admission = null;
      path.requestEnded();
      this.#record(exchange);
    });
    try {
      const outcome = runStages(path.stages, exchange);
      if (typeof outcome !== 'string') outcome.catch((error: unknown) => this.#failed(exchange, error));
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  reject({ reason, connection }: RejectedRequest): RejectionAnswer {
    const { floodLog, random } = this.#services;
    const [code, detail] = rejections[reason];
    const { status, title, level } = gatewayProblems[code];
    const correlationId = random.uuid();
    const limit = limitOf(reason);
    floodLog.write(`request ${reason}`, {
      level,
      message: title,
      shared: { error_type: code, ...limit },
      own: { client_ip: connection.peerAddress, trace_id: correlationId },
    });
    if (limit) this.#services.metrics.limitExceeded('header_size');
    this.#unrouted.finished(status, 0);
    const answer = {
      status,
      headers: problemHeaders(code, correlationId),
      body: problemBody(code, detail, correlationId),
    };
    const rules = this.#state.current().rejectionRules;
    const { peerAddress: client_ip, scheme } = connection;
    return rules === null ? answer : withRejectionRules(rules, answer, { client_ip, scheme });
  }

  handshakeFailed({ listener, peerAddress, code }: HandshakeFailure): void {
    // The TLS library has few codes, so the log holds each kind of failure.
    this.#services.floodLog.write(`handshake ${code}`, {
      level: 'info',
      message: 'TLS handshake failed',
      shared: { code },
      own: { listener, client_ip: peerAddress },
    });
  }

  proxyHeaderFailed({ listener, peerAddress, reason }: ProxyHeaderFailure): void {
    this.#services.floodLog.write(`PROXY header ${reason}`, {
      level: 'warn',
      message: 'PROXY header refused',
      shared: { reason },
      own: { listener, peer_ip: peerAddress },
    });
  }

  /** Handles an internal error. The client gets no details. */
  #failed(exchange: Exchange, error: unknown): void {
    const { logger, problems } = this.#services;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    logger.error('a stage failed', { error_type: 'internal_error', trace_id: exchange.traceId, error: text });
    try {
      problems.answer(exchange, 'internal_error', 'The gateway could not handle the request.');
    } catch {
      // The error must not escape, and the client must not wait.
      exchange.response.abort();
    }
  }

  #record(exchange: Exchange): void {
    const { clock, accessLog } = this.#services;
    // The time of the turn is too coarse for a request that is answered in the turn that read it.
    const turnMs = clock.turnMs();
    const durationMs = (turnMs === exchange.startedMs ? clock.monotonicMs() : turnMs) - exchange.startedMs;
    const { request, route } = exchange;
    const status = exchange.outcome.status === 0 ? clientClosedRequest : exchange.outcome.status;
    if (route) route.inFlight -= 1;
    (route?.metrics ?? this.#unrouted).finished(status, durationMs / 1000);
    exchange.trace?.end(request.method, route?.configuration.id ?? null, status, exchange.outcome.errorType);
    if (exchange.agents.asked.length > 0) notifyCompletion(exchange, { status, durationMs }, this.#services);
    if (!accessLog.isOn) return;
    accessLog.write({
      requestId: exchange.id,
      traceId: exchange.traceId,
      correlationId: exchange.correlationId,
      clientIp: exchange.client.address,
      method: loggedMethod(request.method),
      path: exchange.target.path,
      upstreamPath: upstreamPath(exchange),
      protocol: protocolText(request.httpVersion),
      host: exchange.target.host,
      route: route?.configuration.id ?? null,
      upstream: exchange.upstream,
      target: exchange.attempts.address,
      status: exchange.outcome.grpcStatus === null ? status : 200,
      grpcStatus: exchange.outcome.grpcStatus,
      durationMs,
      requestBytes: exchange.body?.octets ?? 0,
      responseBytes: exchange.response.bytesSent(),
      errorType: exchange.outcome.errorType,
      verdict: exchange.outcome.verdict,
    });
  }
}
