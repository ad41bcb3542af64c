import type { AgentVerdict } from '../../../domain/agent-protocol/agent-verdict.js';
import type { HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import type { RouteConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { ErrorPageTemplate } from '../../../domain/gateway/error-pages/error-page.js';
import type { ClientAddress } from '../../../domain/http/client-address.js';
import type { GatewayProblemCode } from '../../../domain/http/gateway-problem.js';
import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import type { OwnedHeaders } from '../../../domain/http/owned-headers.js';
import type { ResolvedTarget } from '../../../domain/http/request-target.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import type { RouteMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { ClientRequest, ClientResponse } from '../../ports/gateway/http-exchange.js';
import type { UpstreamExchange } from '../../ports/gateway/upstream-client.js';
import type { RequestSlot } from '../admit/request-slots.js';
import type { StreamSlot } from '../admit/stream-slots.js';
import type { RequestTrace } from '../trace/request-tracing.js';
import type { InflatedBody } from './inflated-body.js';
import type { MeteredBody } from './metered-body.js';
import type { RouteAgent } from './route-agent.js';

/** `gateway`: the response is that of the gateway or of an agent. */
export type ResponseSource = 'upstream' | 'gateway';

/** Changes the head of a response before the client gets it. Compiled when the configuration loads. */
export type ResponseHeadRule = (
  headers: HeaderList,
  exchange: AnswerableExchange,
  source: ResponseSource,
) => HeaderList;

export const noResponseRules: readonly ResponseHeadRule[] = [];

/** A copy of a request for a mirror. */
export interface RequestCopy {
  /** The exchange has ended: the rest of the request body will not be read. */
  requestEnded(): void;
}

/** The route that was found for a request. */
export interface MatchedRoute {
  readonly configuration: RouteConfiguration;
  readonly metrics: RouteMetrics;
  /** In the order in which they apply. */
  readonly responseRules: readonly ResponseHeadRule[];
  /** Null: the standard page. */
  readonly errorPage: ErrorPageTemplate | null;
  /** Names, in lower case, of the headers in which agents of the route send the user id. */
  readonly userIdHeaders: readonly string[];
  /** Canonical names that header rules remove or replace in responses: trailers and interim responses lack them too. */
  readonly replacedResponseHeaders: ReadonlySet<string>;
  /** Requests of this route in flight. */
  inFlight: number;
}

/** Owns exchanges and handles their internal errors. */
export interface ExchangeOwner {
  /** The gateway drains, so responses close their connections. */
  readonly isClosing: boolean;
  /** Ends the exchange after an internal error. Does not throw. */
  failed(exchange: Exchange, error: unknown): void;
}

/** `ended`: the response is sent or under way; no later stage runs. `later`: the stage calls `resumeStages`. */
export type StageOutcome = 'continue' | 'ended' | 'later';

/** One step of a request. A stage is synchronous, and returns a promise only when it has to wait. */
export type Stage = (exchange: Exchange) => StageOutcome | Promise<StageOutcome>;

/** The request that is forwarded. Stages change it in turn. */
class ForwardedRequest {
  headers: HeaderList;
  /** The headers before header rules, which load balancing reads; null: `headers`. */
  balancingHeaders: HeaderList | null = null;
  /** Path and query; null: those of the client. */
  target: string | null = null;
  /** The names that clients must not send, at the time of the last removal; null: there was no removal. */
  identityNames: OwnedHeaders | null = null;
  /** The fields of trusted client certificates. `prepareHeaders` adds them to `headers`. */
  certificateFields: HeaderList = noHeaders;
  /** The client's body, or the body that agents made of it. */
  body: BodySource | null = null;
  /** Inflates the rest of `body` after an agent has changed the beginning of a compressed body. */
  inflation: InflatedBody | null = null;

  constructor(headers: HeaderList) {
    this.headers = headers;
  }
}

/** The answers of a route's agents. The agent stage makes it. */
export class AgentAnswers {
  /**
   * The agents that get later events of the request, in the route's order: those that were asked about its head, and
   * those that do not subscribe to heads.
   */
  asked: readonly RouteAgent[];
  /** Operations on the response of the upstream or of the gateway. */
  responseOperations: readonly HeaderOperation[] = [];

  constructor(asked: readonly RouteAgent[]) {
    this.asked = asked;
  }
}

/** The attempts to get a response from the upstream. `UpstreamForwarder` makes them. */
export interface UpstreamAttempts {
  /** Number of times that the request was sent to a target. */
  readonly count: number;
  /** `host:port` of the target of the last attempt; null: there was no attempt. */
  readonly address: string | null;
  /** Response fields of the balancer, such as the sticky cookie. */
  readonly targetFields: HeaderList;
}

/** The end of the exchange, for the client, the access log and metrics. */
class ResponseOutcome {
  /** 0 until there is a response. */
  status = 0;
  /** The gRPC code of an error in the head of a 200 response; null: none. */
  grpcStatus: number | null = null;
  errorType: GatewayProblemCode | 'blocked_by_agent' | 'client_gone' | null = null;
  /** The verdict of the agent that ended the request; null: no agent ended it. */
  verdict: AgentVerdict | null = null;
}

const unresolvedTarget: ResolvedTarget = { path: '', query: null, host: null, authority: '' };
const noAgentAnswers: AgentAnswers = Object.freeze(new AgentAnswers([]));
const noAttempts: UpstreamAttempts = { count: 0, address: null, targetFields: noHeaders };
const noStages: readonly Stage[] = [];

/**
 * One request and its response. The client's request is read-only. One stage makes each of the following parts, in the
 * order of the fields; later stages read it.
 */
export class Exchange {
  /** Null while tracing is off. */
  trace: RequestTrace | null = null;
  readonly forwarded: ForwardedRequest;
  /** The normalised path and host, which are used to route, to ask agents and to forward. */
  target: ResolvedTarget = unresolvedTarget;
  route: MatchedRoute | null = null;
  /** Name of the upstream of the route; null: the request has no route, or the gateway itself answers. */
  upstream: string | null = null;
  /** What changes in the head of every response to this request. */
  responseRules = noResponseRules;
  /** The template for error pages; null: the standard page. */
  errorPage: ErrorPageTemplate | null = null;
  /** The client's body, counted as it is read; null: it has none. */
  body: MeteredBody | null = null;
  /** The response fields about the client's rate limits. */
  rateLimitFields: HeaderList = noHeaders;
  /** The concurrency slot; null: it has none, or has released it. */
  admission: RequestSlot | StreamSlot | null = null;
  /** Milliseconds in the queue for that slot. They count towards the upstream's timeout. */
  queuedMs = 0;
  agents: AgentAnswers = noAgentAnswers;
  /** Null: the request is not mirrored. */
  mirror: RequestCopy | null = null;
  attempts: UpstreamAttempts = noAttempts;
  readonly outcome = new ResponseOutcome();
  /** The client went away before its response ended. */
  abandoned = false;
  /** The stages that `resumeStages` runs, and the index of the first. */
  laterStages = noStages;
  laterFrom = 0;
  readonly #owner: ExchangeOwner;
  /** Cancels the current wait. */
  #cancelWait: (() => void) | null = null;
  /** The pending request to a target or agent. */
  #sent: UpstreamExchange | null = null;

  constructor(
    readonly request: ClientRequest,
    readonly response: ClientResponse,
    /** The gateway's own id: a UUID. */
    readonly id: string,
    /** The id that the client sees: the one that it sent, if that is valid; otherwise `id`. */
    readonly correlationId: string,
    readonly client: ClientAddress,
    /** Monotonic milliseconds. */
    readonly startedMs: number,
    owner: ExchangeOwner,
  ) {
    this.forwarded = new ForwardedRequest(request.headers);
    this.#owner = owner;
  }

  /** Response fields of the balancer. */
  get targetFields(): HeaderList {
    return this.attempts.targetFields;
  }

  /** The id of the trace; while tracing is off, the id of the exchange. */
  get traceId(): string {
    return this.trace?.traceId ?? this.id;
  }

  /** The gateway drains, so the response closes its connection. */
  get close(): boolean {
    return this.#owner.isClosing;
  }

  /** Reports an internal error to the owner. */
  fail(error: unknown): void {
    this.#owner.failed(this, error);
  }

  /** Calls `cancel` if the client disconnects before `waitOver` or before the next wait. */
  waitFor(cancel: () => void): void {
    if (this.abandoned) cancel();
    else {
      this.#cancelWait = cancel;
      this.#sent = null;
    }
  }

  /** Like `waitFor`, for a request to a target or to an agent. */
  waitForUpstream(sent: UpstreamExchange): void {
    if (this.abandoned) sent.cancel();
    else {
      this.#cancelWait = null;
      this.#sent = sent;
    }
  }

  waitOver(): void {
    this.#cancelWait = null;
    this.#sent = null;
  }

  abandon(): void {
    this.abandoned = true;
    const cancel = this.#cancelWait;
    const sent = this.#sent;
    this.waitOver();
    cancel?.();
    sent?.cancel();
  }
}

type ReadPart<Part> = Part extends ForwardedRequest | AgentAnswers | ResponseOutcome ? Readonly<Part> : Part;

/** The parts of an exchange that code reads, and those that it makes or changes. */
export type ExchangeView<Reads extends keyof Exchange, Makes extends keyof Exchange = never> = {
  readonly [Part in Exclude<Reads, Makes>]: ReadPart<Exchange[Part]>;
} & Pick<Exchange, Makes>;

/** The parts of an exchange that a response of the gateway itself needs. */
export type AnswerableExchange = ExchangeView<
  | 'abandoned'
  | 'client'
  | 'close'
  | 'correlationId'
  | 'errorPage'
  | 'forwarded'
  | 'rateLimitFields'
  | 'request'
  | 'response'
  | 'responseRules'
  | 'route'
  | 'target'
  | 'traceId'
  | 'upstream',
  'outcome'
>;

/**
 * The parts of an exchange that a stage reads, and those that it makes or changes. Every stage may answer the client.
 */
export type StageExchange<Reads extends keyof Exchange, Makes extends keyof Exchange = never> = AnswerableExchange &
  ExchangeView<Reads, Makes>;

/**
 * A stage that declares which parts of an exchange it reads, and which it makes or changes. Stages that run or resume
 * others take the whole exchange: `chooseRoute`, `askAgents` and `sendToUpstream`.
 */
export type StageOf<Reads extends keyof Exchange, Makes extends keyof Exchange = never> = (
  exchange: StageExchange<Reads, Makes>,
) => StageOutcome | Promise<StageOutcome>;

const nothingLeft: readonly Stage[] = [];

/** Runs stages in order until one ends the exchange or returns `later`. */
export const runStages = (
  stages: readonly Stage[],
  exchange: Exchange,
  from = 0,
): StageOutcome | Promise<StageOutcome> => {
  for (let index = from; index < stages.length; index += 1) {
    const outcome = (stages[index] as Stage)(exchange);
    if (outcome === 'continue') continue;
    if (outcome === 'ended') return outcome;
    if (outcome === 'later') return suspend(stages, exchange, index + 1);
    return outcome.then((settled) => {
      if (settled === 'ended') return settled;
      return settled === 'later' ? suspend(stages, exchange, index + 1) : runStages(stages, exchange, index + 1);
    });
  }
  return 'continue';
};

/** Runs the stages after one that returned `later`, with its outcome. Does not throw. */
export const resumeStages = (exchange: Exchange, outcome: Exclude<StageOutcome, 'later'>): void => {
  const { laterStages, laterFrom } = exchange;
  exchange.laterStages = nothingLeft;
  if (outcome === 'ended') return;
  try {
    const rest = runStages(laterStages, exchange, laterFrom);
    if (typeof rest !== 'string') rest.catch((error: unknown) => exchange.fail(error));
  } catch (error) {
    exchange.fail(error);
  }
};

/** INVARIANT: a stage that runs others is the last of its list, so that only one list has stages to resume. */
const suspend = (stages: readonly Stage[], exchange: Exchange, from: number): 'later' => {
  if (from < stages.length) {
    if (exchange.laterStages.length > 0) throw new Error('a stage that runs others must be the last of its list');
    exchange.laterStages = stages;
    exchange.laterFrom = from;
  }
  return 'later';
};
