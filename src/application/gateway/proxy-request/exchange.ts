import type { AgentVerdict } from '../../../domain/agent-protocol/agent-verdict.js';
import type { HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import type { RouteConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { ClientAddress } from '../../../domain/http/client-address.js';
import type { GatewayProblemCode } from '../../../domain/http/gateway-problem.js';
import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import type { OwnedHeaders } from '../../../domain/http/owned-headers.js';
import type { RepeatedHeaderCache } from '../../../domain/http/repeated-header-cache.js';
import type { ResolvedTarget, TargetHeaderCache } from '../../../domain/http/target-header-cache.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import type { RouteMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { ClientRequest, ClientResponse } from '../../ports/gateway/http-exchange.js';
import type { UpstreamExchange } from '../../ports/gateway/upstream-client.js';
import type { RequestTrace } from '../trace/request-tracing.js';
import type { InflatedBody } from './inflated-body.js';
import type { MeteredBody } from './metered-body.js';
import type { RouteAgent } from './route-agent.js';

/** The route of a request, as every stage knows it. */
export interface MatchedRoute {
  readonly configuration: RouteConfiguration;
  readonly metrics: RouteMetrics;
  /** Requests of this route in flight. */
  inFlight: number;
}

/** Owns exchanges and takes their faults. */
export interface ExchangeOwner {
  /** Responses close their connections: the gateway drains. */
  readonly isClosing: boolean;
  /** An internal error ends the exchange. Does not throw. */
  failed(exchange: Exchange, error: unknown): void;
}

/** `ended`: the response is sent or on its way, and no later stage runs. `later`: the stage calls `resumeStages`. */
export type StageOutcome = 'continue' | 'ended' | 'later';

/** One step of a request. Stages are synchronous; one returns a promise only where it has to wait. */
export type Stage = (exchange: Exchange) => StageOutcome | Promise<StageOutcome>;

/** The request as it is forwarded. Each stage leaves it as the next one sees it. */
export class ForwardedRequest {
  /** Its header fields. */
  headers: HeaderList;
  /** The cache entry that `headers` come from; that of an earlier list once a stage has changed them. */
  alike: RepeatedHeaderCache | null = null;
  /** The names that no client may send, as of the last removal; null: nothing was removed. */
  identityNames: OwnedHeaders | null = null;
  /** Trusted client certificates, as fields that are not among `headers` yet. */
  certificateFields: HeaderList = noHeaders;
  /** The body, or what agents leave of it. */
  body: BodySource | null = null;
  /** Inflates the rest of `body` where agents have changed the beginning of a coded body. */
  inflation: InflatedBody | null = null;

  constructor(headers: HeaderList) {
    this.headers = headers;
  }
}

/** What the agents of a route said. The agent stage makes it. */
export class AgentAnswers {
  /**
   * The agents that hear of the rest of the request, in the route's order: those that were asked, and those that are
   * not subscribed to its head.
   */
  asked: readonly RouteAgent[];
  /** Operations on the response, whether it comes from the upstream or from the gateway. */
  responseOperations: readonly HeaderOperation[] = [];

  constructor(asked: readonly RouteAgent[]) {
    this.asked = asked;
  }
}

/** The attempts to get an answer from the upstream. `UpstreamForwarder` makes them. */
export interface UpstreamAttempts {
  /** How often the request was sent to a target. */
  readonly count: number;
  /** `host:port` of the target of the last attempt; null: there was none. */
  readonly address: string | null;
  /** Response fields of the balancer, such as the sticky cookie. */
  readonly targetFields: HeaderList;
}

/** How the exchange ends, for the client, the access log and metrics. */
export class ResponseOutcome {
  /** 0 until there is a response. */
  status = 0;
  /** The gRPC code of an error in the head of a 200 response; null: there is none. */
  grpcStatus: number | null = null;
  errorType: GatewayProblemCode | 'blocked_by_agent' | 'client_gone' | null = null;
  /** The agent that ended the request; null: none did. */
  verdict: AgentVerdict | null = null;
}

const unresolvedTarget: ResolvedTarget = { path: '', query: null, host: null, authority: '' };
const noAgentAnswers: AgentAnswers = Object.freeze(new AgentAnswers([]));
const noAttempts: UpstreamAttempts = { count: 0, address: null, targetFields: noHeaders };
const noStages: readonly Stage[] = [];

/**
 * One request and its response. What the client sent is read-only. Each part that follows is made by one stage, in the
 * order of the fields; later stages read it.
 */
export class Exchange {
  /** Null while tracing is off. */
  trace: RequestTrace | null = null;
  readonly forwarded: ForwardedRequest;
  /** What is asked for: the path and host after normalisation, which are routed, judged and forwarded. */
  target: ResolvedTarget = unresolvedTarget;
  /** The cache entry of a request with the same method, target and fields on this connection. */
  knownTarget: TargetHeaderCache | null = null;
  route: MatchedRoute | null = null;
  /** The client's body, counted as it is read; null: it has none. */
  body: MeteredBody | null = null;
  /** What the client is told of its rate limits. */
  rateLimitFields: HeaderList = noHeaders;
  /** The concurrency slot, released when the exchange ends. */
  admission: { release(): void } | null = null;
  /** Milliseconds in the queue for that slot. They count towards the time that the upstream has. */
  queuedMs = 0;
  agents: AgentAnswers = noAgentAnswers;
  attempts: UpstreamAttempts = noAttempts;
  readonly outcome = new ResponseOutcome();
  /** The client went away before its response ended. */
  abandoned = false;
  /** The stages that `resumeStages` runs, and the index of the first. */
  laterStages = noStages;
  laterFrom = 0;
  readonly #owner: ExchangeOwner;
  /** Cancels what the exchange waits for. */
  #cancelWait: (() => void) | null = null;
  /** The request to a target that the exchange waits for. */
  #sent: UpstreamExchange | null = null;

  constructor(
    readonly request: ClientRequest,
    readonly response: ClientResponse,
    /** The gateway's own id: a UUID. */
    readonly id: string,
    /** The id that the client sees: its own where it sent a good one. */
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

  /** The id of the trace; that of the exchange while tracing is off. */
  get traceId(): string {
    return this.trace?.traceId ?? this.id;
  }

  /** The response closes its connection: the gateway drains. */
  get close(): boolean {
    return this.#owner.isClosing;
  }

  /** Reports an error that nothing else catches. */
  fail(error: unknown): void {
    this.#owner.failed(this, error);
  }

  /** Calls `cancel` if the client goes away before `waitOver`, or before the next wait. */
  waitFor(cancel: () => void): void {
    if (this.abandoned) cancel();
    else {
      this.#cancelWait = cancel;
      this.#sent = null;
    }
  }

  /** The same for a request to a target or to an agent. */
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

/** An exchange as code sees it that reads some of its parts and makes or changes others. */
export type ExchangeView<Reads extends keyof Exchange, Makes extends keyof Exchange = never> = {
  readonly [Part in Exclude<Reads, Makes>]: ReadPart<Exchange[Part]>;
} & Pick<Exchange, Makes>;

/** What it takes to answer the client in place of the upstream. */
export type AnswerableExchange = ExchangeView<
  'abandoned' | 'client' | 'close' | 'correlationId' | 'rateLimitFields' | 'request' | 'response' | 'route' | 'traceId',
  'outcome'
>;

/**
 * An exchange as a stage sees it that reads some parts and makes or changes others. Every stage may answer the
 * client.
 */
export type StageExchange<Reads extends keyof Exchange, Makes extends keyof Exchange = never> = AnswerableExchange &
  ExchangeView<Reads, Makes>;

/**
 * A stage that reads some parts of an exchange and makes or changes others. The stages that run or resume others take
 * the whole exchange: `chooseRoute`, `askAgents` and `sendToUpstream`.
 */
export type StageOf<Reads extends keyof Exchange, Makes extends keyof Exchange = never> = (
  exchange: StageExchange<Reads, Makes>,
) => StageOutcome | Promise<StageOutcome>;
