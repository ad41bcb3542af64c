import type { PathProtection } from '../../../domain/agent/sign-on/protected-paths.js';
import { type AgentCapabilities, defaultAgentLimits } from '../../../domain/agent-protocol/capabilities.js';
import { eventTraceId } from '../../../domain/agent-protocol/event-trace-id.js';
import type { AgentHealth, AgentState } from '../../../domain/agent-protocol/health.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type CancelReason,
  type RequestHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { alwaysOwned } from '../../../domain/http/owned-headers.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { AgentService, ConfigurationGiver, ConfigurationOccasion } from '../../ports/agent/agent-service.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { type MaybePromise, thenMaybe } from '../../ports/shared/maybe-promise.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { SessionAdministration } from '../../ports/shared/session-administration.js';
import { CancellationSource, isCancelled } from '../../shared/cancellation/cancellation-source.js';
import type { AuthenticationOutcome } from '../authenticate/authenticate-request.js';
import type { AgentConfigurationInForce } from '../configure-agent/agent-configuration-in-force.js';
import type { AgentKeySets } from '../configure-agent/agent-key-sets.js';
import type { PreparedAgent } from '../configure-agent/prepared-agent.js';
import { type AgentCondition, agentCondition } from './agent-condition.js';
import type { AgentServiceCounters } from './agent-service-counters.js';
import { withResourceMetadata } from './challenges.js';
import { LatencyWindow } from './latency-window.js';
import { PendingDecisions } from './pending-decisions.js';
import { PostedEndpoints } from './posted-endpoints.js';
import { undecidedAnswer } from './refusal.js';
import { RequestAnswers } from './request-answers.js';

/** Describes an agent, and how often it reports. */
export interface AgentDescription {
  /** Unique among all agents that a gateway talks to. */
  readonly agentId: string;
  readonly version: string;
  readonly healthIntervalMs: number;
  readonly metricsIntervalMs: number;
}

/**
 * Maximum concurrent calls per connection. Most calls take microseconds. Calls that wait, for keys or for a password
 * check, have much lower limits, so they never use all slots.
 */
const maxConcurrency = 1_000;

const agentCapabilities = (description: AgentDescription, ownedHeaders: readonly string[]): AgentCapabilities => ({
  agentId: description.agentId,
  name: 'gateway-auth',
  version: description.version,
  supportedEvents: ['request_headers', 'request_body_chunk', 'configure'],
  features: {
    streamingBody: true,
    websocket: false,
    guardrails: false,
    configPush: true,
    metricsExport: true,
    cancellation: true,
    flowControl: false,
    healthReporting: true,
    concurrentRequests: maxConcurrency,
  },
  limits: { ...defaultAgentLimits, maxConcurrency },
  ownedHeaders,
});

export interface AuthAgentOptions {
  readonly configuration: AgentConfigurationInForce;
  readonly keySets: Pick<AgentKeySets, 'onRefresh'>;
  /** The agent's own counters; the configuration counts sign-ons in them. */
  readonly counters: AgentServiceCounters;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/** The authentication agent: authenticates requests, evaluates policies, and sets the identity headers. */
export class AuthAgent implements AgentService {
  readonly #description: AgentDescription;
  readonly #configuration: AgentConfigurationInForce;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #counters: AgentServiceCounters;
  readonly #answers: RequestAnswers;
  readonly #endpoints: PostedEndpoints;
  readonly #latency = new LatencyWindow();
  readonly #pending = new PendingDecisions();
  readonly #healthListeners = new Set<(health: AgentHealth) => void>();
  #capabilities: AgentCapabilities | null = null;
  #inFlight = 0;
  #draining = false;
  #reportedState: AgentState = 'unhealthy';
  readonly #endCount: () => void;

  constructor(
    description: AgentDescription,
    { configuration, keySets, counters, clock, scheduler, logger }: AuthAgentOptions,
  ) {
    this.#description = description;
    this.#configuration = configuration;
    this.#counters = counters;
    this.#clock = clock;
    this.#logger = logger;
    this.#answers = new RequestAnswers(counters, logger);
    this.#endpoints = new PostedEndpoints(scheduler);
    configuration.onChange(() => this.#noteState());
    this.#endCount = keySets.onRefresh((result) => counters.refreshedKeys(result));
  }

  /** Returns the same object until the configuration changes: transports call this on every event. */
  capabilities(): AgentCapabilities {
    const ownedHeaders = this.#configuration.current()?.identityHeaderPatterns ?? alwaysOwned;
    if (this.#capabilities?.ownedHeaders !== ownedHeaders) {
      this.#capabilities = agentCapabilities(this.#description, ownedHeaders);
    }
    return this.#capabilities;
  }

  /** Applies the options given at start. Reports all errors. */
  start(): Promise<Result<void, readonly AgentOptionProblem[]>> {
    return this.#configuration.start();
  }

  /**
   * Reads keys, authorities, lists and policies again from the files of the current configuration. On an error, nothing
   * changes.
   */
  reload(): Promise<Result<void, string>> {
    return this.#configuration.reload();
  }

  configure(
    config: JsonObject | null,
    giver: ConfigurationGiver,
    occasion: ConfigurationOccasion,
    version: string | null = null,
  ): Promise<Result<void, string>> {
    return this.#configuration.configure(config, giver, occasion, version);
  }

  decide(event: AgentEvent, connection: symbol): MaybePromise<AgentAnswer> {
    if (event.kind === 'request_body_chunk') {
      const endpoints = this.#configuration.current()?.endpoints ?? null;
      const taken = this.#endpoints.take(event, connection, endpoints);
      if (taken.kind === 'answer') return taken.answer;
      return this.#guarded(taken.request.event, connection, (cancellation) =>
        this.#endpoints.answerForm(taken, endpoints, cancellation),
      );
    }
    // The agent neither requests nor changes anything of a response.
    if (event.kind !== 'request_headers') return allowAnswer;
    const agent = this.#configuration.current();
    if (agent === null) return undecidedAnswer(event);
    const { resources } = agent;
    return this.#guarded(event, connection, (cancellation) => {
      const answer = this.#decide(event, agent, connection, cancellation);
      if (resources === null) return answer;
      return thenMaybe(answer, (decided) => withResourceMetadata(decided, resources.metadataUrlFor(event)));
    });
  }

  /** Ends a pending decision; the transport drops its answer. */
  cancel(correlationId: string, _reason: CancelReason, connection: symbol): void {
    this.#pending.cancel(correlationId, connection);
    this.#endpoints.cancel(correlationId, connection);
  }

  disconnected(connection: symbol): void {
    this.#pending.disconnected(connection);
    this.#endpoints.disconnected(connection);
    this.#configuration.disconnected(connection);
  }

  /** Reports that the agent is draining. Requests are still decided. */
  drain(): void {
    this.#draining = true;
    this.#noteState();
  }

  stop(): Promise<void> {
    this.#endCount();
    this.#endpoints.stop();
    return this.#configuration.stop();
  }

  health(): AgentHealth {
    const latency = this.#latency.figures();
    return {
      agentId: this.#description.agentId,
      ...this.#condition(),
      load: {
        inFlight: this.#inFlight,
        queueDepth: 0,
        avgLatencyMs: latency.avgMs,
        p50LatencyMs: latency.p50Ms,
        p95LatencyMs: latency.p95Ms,
        p99LatencyMs: latency.p99Ms,
        requestsProcessed: this.#counters.requests,
        requestsRejected: this.#counters.refusedRequests,
        requestsTimedOut: 0,
      },
      resources: null,
      validForMs: this.#description.healthIntervalMs * 2,
      timestampMs: this.#clock.wallMs(),
    };
  }

  metrics(): MetricsReport {
    const current = this.#configuration.current();
    return this.#counters.report(this.#description.agentId, this.#clock.wallMs(), this.#description.metricsIntervalMs, {
      sessions: current?.sessions?.count.latest() ?? null,
      certificates: current?.saml?.certificates.current() ?? [],
    });
  }

  sessions(): SessionAdministration | null {
    return this.#configuration.current()?.sessions?.administration ?? null;
  }

  onHealthChange(listener: (health: AgentHealth) => void): () => void {
    this.#healthListeners.add(listener);
    return () => this.#healthListeners.delete(listener);
  }

  #decide(
    event: RequestHeadersEvent,
    agent: PreparedAgent,
    connection: symbol,
    cancellation: Cancellation,
  ): MaybePromise<AgentAnswer> {
    const startedMs = this.#clock.monotonicMs();
    const path = agent.endpoints.pathOf(event.uri);
    const endpoint = agent.endpoints.at(path);
    if (path !== null && endpoint !== null)
      return this.#endpoints.answer({ event, path, endpoint }, connection, cancellation);
    const protection = agent.signOn?.protection(path) ?? 'open';
    const authenticated = agent.authentication.authenticate(
      event.headers,
      cancellation,
      protection !== 'excluded',
      event,
    );
    const answer = thenMaybe(authenticated, (outcome) => this.#answer(event, agent, outcome, startedMs, protection));
    const { keptForms } = agent;
    if (keptForms === null) return answer;
    const considered = thenMaybe(answer, (given) => keptForms.consider(event, given, protection));
    return thenMaybe(considered, (result) => {
      if (result.kind === 'answer') return result.answer;
      // A cancellation during the wait found no form.
      return isCancelled(cancellation) ? undecidedAnswer(event) : this.#endpoints.begin(event, result.form, connection);
    });
  }

  #answer(
    event: RequestHeadersEvent,
    agent: PreparedAgent,
    outcome: AuthenticationOutcome,
    startedMs: number,
    protection: PathProtection,
  ): MaybePromise<AgentAnswer> {
    // The answer is dropped, and the client did not fail.
    if (outcome.kind === 'cancelled') return undecidedAnswer(event);
    const durationMs = this.#clock.monotonicMs() - startedMs;
    this.#latency.record(durationMs);
    return this.#answers.answer(event, agent, outcome, durationMs, protection);
  }

  /** On an exception the request is undecided: it never passes. */
  #guarded(
    event: RequestHeadersEvent,
    connection: symbol,
    work: (cancellation: Cancellation) => MaybePromise<AgentAnswer>,
  ): MaybePromise<AgentAnswer> {
    const cancellation = new CancellationSource();
    let answer: MaybePromise<AgentAnswer>;
    try {
      answer = work(cancellation);
    } catch (error) {
      return this.#undecided(event, error);
    }
    return answer instanceof Promise ? this.#awaited(event, connection, cancellation, answer) : answer;
  }

  /** Only asynchronous answers count as pending and can be cancelled; most are synchronous. */
  #awaited(
    event: RequestHeadersEvent,
    connection: symbol,
    cancellation: CancellationSource,
    answer: Promise<AgentAnswer>,
  ): Promise<AgentAnswer> {
    this.#inFlight += 1;
    this.#pending.open(event.correlationId, connection, cancellation);
    return answer
      .catch((error: unknown) => this.#undecided(event, error))
      .finally(() => {
        this.#inFlight -= 1;
        this.#pending.close(event.correlationId, connection, cancellation);
      });
  }

  #undecided(event: RequestHeadersEvent, error: unknown): AgentAnswer {
    this.#logger.error('a request could not be decided', {
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
      error: error instanceof Error ? error.message : String(error),
    });
    return undecidedAnswer(event);
  }

  #condition(): AgentCondition {
    if (this.#draining) return { state: 'draining', message: null, disabledFeatures: [] };
    return agentCondition(this.#configuration.current());
  }

  #noteState(): void {
    const { state } = this.#condition();
    if (state === this.#reportedState) return;
    this.#reportedState = state;
    const health = this.health();
    for (const listener of this.#healthListeners) listener(health);
  }
}
