import type { AgentVerdict } from '../../../domain/agent-protocol/agent-verdict.js';
import type { HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import type { RouteConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { ClientAddress } from '../../../domain/http/client-address.js';
import type { GatewayProblemCode } from '../../../domain/http/gateway-problem.js';
import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import type { OwnedHeaders } from '../../../domain/http/owned-headers.js';
import type { RepeatedHeaderCache } from '../../../domain/http/repeated-header-cache.js';
import type { TargetHeaderCache } from '../../../domain/http/target-header-cache.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import type { RouteMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { ClientRequest, ClientResponse } from '../../ports/gateway/http-exchange.js';
import type { UpstreamExchange } from '../../ports/gateway/upstream-client.js';
import type { RequestTrace } from '../trace/request-tracing.js';
import type { InflatedBody } from './inflated-body.js';
import type { MeteredBody } from './metered-body.js';
import type { RouteAgent } from './route-agent.js';

/** The route that took a request, as far as every stage may know it. */
export interface MatchedRoute {
  readonly configuration: RouteConfiguration;
  readonly metrics: RouteMetrics;
  /** Requests of this route under way. */
  inFlight: number;
}

/** Whose exchanges they are. */
export interface ExchangeOwner {
  /** The connections end after their responses: the gateway drains. */
  readonly isClosing: boolean;
  /** The exchange cannot go on for a fault of the gateway's own, which has been thrown. Does not throw itself. */
  failed(exchange: Exchange, error: unknown): void;
}

/** `ended`: the response is made, or on its way, and no later stage runs. `later`: `resumeStages` is called with what it comes to. */
export type StageOutcome = 'continue' | 'ended' | 'later';

/** One step of the way of a request. Answers at once where it can: a promise only where it has to wait. */
export type Stage = (exchange: Exchange) => StageOutcome | Promise<StageOutcome>;

const noStages: readonly Stage[] = [];

/** One request and everything that is learnt about it on its way through the stages. */
export class Exchange {
  /** The path after normalisation: the one string that is routed, judged and forwarded. */
  path = '';
  /** What follows the `?`, or null. */
  query: string | null = null;
  /** Lower case, without port; null for HTTP/1.0 without Host. */
  host: string | null = null;
  /** The Host field as it will be forwarded. */
  authority = '';
  /** What is known of the request, where one with the same method, target and fields came before on the connection. */
  knownTarget: TargetHeaderCache | null = null;
  /** The request's headers as they stand; each stage leaves them as the next is to see them. */
  headers: HeaderList;
  /** What is known of them where they are its fields; else it is of a list that they were made of. */
  alike: RepeatedHeaderCache | null = null;
  /** What no client may send, as it was when the headers were prepared; null: nothing was removed. */
  identityNames: OwnedHeaders | null = null;
  /** Client certificates that can be believed, as header fields that are not among `headers` yet. */
  certificateFields: HeaderList = noHeaders;
  /** What is read of the client's body; null where it has none. */
  body: MeteredBody | null = null;
  /** What the upstream gets: the body, or what agents have left of it. */
  forwardedBody: BodySource | null = null;
  route: MatchedRoute | null = null;
  /** What the agents want done to the response, whoever makes it. */
  responseOperations: readonly HeaderOperation[] = [];
  /**
   * The agents that hear of the rest of the request, in the route's order: those that were asked about it, and those that
   * do not ask to be. Empty until the request has come to the agents of its route.
   */
  asked: readonly RouteAgent[] = [];
  /** What inflates the rest of `forwardedBody`, where agents have changed the beginning of a coded body. */
  inflation: InflatedBody | null = null;
  /** Address of the target that was tried last. */
  target: string | null = null;
  /** What interim responses have counted that were passed on: see `maxInterimOctets`. */
  interimOctets = 0;
  /** How often the request was sent to a target. */
  upstreamAttempts = 0;
  status = 0;
  /** The gRPC code of an error that was told in the head of a 200 answer; null: there was none. */
  grpcStatus: number | null = null;
  errorType: GatewayProblemCode | 'blocked_by_agent' | 'client_gone' | null = null;
  /** Which agent ended it; null where none did. */
  verdict: AgentVerdict | null = null;
  /** The place that the request has taken among those in flight: given back when it ends. */
  admission: { release(): void } | null = null;
  /** How long it has waited for that place, in milliseconds: its upstream has so much less time to answer. */
  queuedMs = 0;
  /** What the client is told of its rate limits. */
  rateLimitFields: HeaderList = noHeaders;
  /** What the balancer tells the client, as the cookie that keeps it with its target. */
  targetFields: HeaderList = noHeaders;
  /** Null while tracing is off. */
  trace: RequestTrace | null = null;
  /** The client went away before its response ended. */
  abandoned = false;
  /** What is left to do once the stage that answers later has come to something, from one of them on. */
  laterStages = noStages;
  laterFrom = 0;
  readonly #owner: ExchangeOwner;
  /** Ends what the exchange waits for at the moment. */
  #cancelWait: (() => void) | null = null;
  /** The request to a target that it waits for at the moment. */
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
    this.headers = request.headers;
    this.#owner = owner;
  }

  /** What log lines call the request: the id of its trace, or its own while tracing is off. */
  get traceId(): string {
    return this.trace?.traceId ?? this.id;
  }

  /** The connection ends after the response: the gateway drains. */
  get close(): boolean {
    return this.#owner.isClosing;
  }

  /** Something was thrown where nobody waits for it. */
  fail(error: unknown): void {
    this.#owner.failed(this, error);
  }

  /** `cancel` is called if the client goes away before `waitOver`, or before something else is waited for. */
  waitFor(cancel: () => void): void {
    if (this.abandoned) cancel();
    else {
      this.#cancelWait = cancel;
      this.#sent = null;
    }
  }

  /** The same with a request to a target, or anything else that can be cancelled. */
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
