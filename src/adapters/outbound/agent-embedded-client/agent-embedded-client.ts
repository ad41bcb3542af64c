import type { AgentService, ConfigurationGiver } from '../../../application/ports/agent/agent-service.js';
import type {
  AgentCallListener,
  AgentClient,
  AgentOutcome,
  AgentReportReader,
  AgentStatus,
  ConfigureOutcome,
} from '../../../application/ports/gateway/agent-client.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { MaybePromise } from '../../../application/ports/shared/maybe-promise.js';
import type { Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { SessionAdministration } from '../../../application/ports/shared/session-administration.js';
import { isBodyChunk, opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentFailureCode } from '../../../domain/agent-protocol/failure-rules.js';
import { type AgentState, warmingUpFeature } from '../../../domain/agent-protocol/health.js';
import { faultOfAnswer } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer, AgentEvent, BodyChunkEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import { agentQueueLimit } from '../../../domain/gateway/limits/agent-limits.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import { type EmbeddedCall, EmbeddedCallBook } from './embedded-call-book.js';

/** Settings of an embedded agent. */
export interface AgentEmbeddedClientOptions {
  /** The agent's name in the gateway's configuration. */
  readonly name: string;
  /** Milliseconds for a call, including its time in the queue. */
  readonly timeoutMs: number;
  /** Maximum number of queued calls. */
  readonly maxQueueDepth: number;
  readonly config: JsonObject | null;
  readonly proxyId: string;
  readonly proxyVersion: string;
}

const failedOutcome = (code: AgentFailureCode, detail: string): AgentOutcome => err({ code, detail });

/** The outcome of an answer; an invalid answer is a failure. */
const outcomeOf = (answer: AgentAnswer, event: AgentEvent): AgentOutcome => {
  const problem = faultOfAnswer(answer, event);
  return problem === null ? ok(answer) : failedOutcome('malformed_answer', problem);
};

const brokenOutcome = (error: unknown): AgentOutcome =>
  failedOutcome('malformed_answer', `the agent failed: ${error instanceof Error ? error.name : 'unknown'}`);

const unhealthyOutcome = failedOutcome('unhealthy', 'the agent reports that it is unhealthy');

/** The body chunks that an agent requests when it asks for more in its answer to an event. */
const requestedChunk = ({ kind }: AgentEvent): BodyChunkEvent['kind'] =>
  kind === 'request_headers' || kind === 'request_body_chunk' ? 'request_body_chunk' : 'response_body_chunk';

/** Version of the only configuration that an embedded agent receives. */
const onlyVersion = 'embedded';

/** Calls an agent in the gateway's process, with the semantics of the other transports. */
export class AgentEmbeddedClient implements AgentClient {
  readonly name: string;
  readonly #settings: AgentEmbeddedClientOptions;
  readonly #service: AgentService;
  readonly #scheduler: Scheduler;
  readonly #logger: Logger;
  readonly #connection = Symbol('embedded');
  readonly #calls: EmbeddedCallBook;
  readonly #queued = new Set<EmbeddedCall>();
  /** Requests for which the agent waits for body chunks, by correlation id. */
  readonly #dialogues = new TransientMap<BodyChunkEvent['kind']>();
  /** Calls that the service still runs, including abandoned ones. */
  #running = 0;
  #state: 'starting' | 'ready' | 'refused' | 'stopping' = 'starting';
  /** The last reported state. */
  #health: AgentState = 'healthy';
  #endHealth: (() => void) | null = null;
  #refusal: string | null = null;
  #configuring: Promise<unknown> = Promise.resolve();
  #onIdle: (() => void) | null = null;
  #reader: AgentReportReader | null = null;
  #isStarted = false;
  #onCapabilities: (() => void) | null = null;

  constructor(
    settings: AgentEmbeddedClientOptions,
    service: AgentService,
    clock: Clock,
    scheduler: Scheduler,
    logger: Logger,
  ) {
    this.name = settings.name;
    this.#settings = settings;
    this.#service = service;
    this.#scheduler = scheduler;
    this.#logger = logger;
    const { timeoutMs } = settings;
    this.#calls = new EmbeddedCallBook(timeoutMs, clock, scheduler, (call) => {
      this.#abandon(call, 'timeout', failedOutcome('timed_out', `no answer in ${timeoutMs} ms`));
      this.#checkIdle();
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#endHealth = this.#service.onHealthChange(({ state }) => this.#noteHealth(state));
    void this.configure(this.#settings.config).then((configured) => {
      if (configured.ok) this.#logger.info('Agent connected', { agent: this.name });
      else this.#logger.error('Agent refused', { agent: this.name, reason: configured.error.reason });
    });
  }

  ask(event: AgentEvent): MaybePromise<AgentOutcome> {
    const hasRoom = this.#hasRoom();
    const failure = this.#refusalOf(event, hasRoom);
    if (failure !== null) return failure;
    if (!hasRoom) return this.#enqueue(event);
    this.#running += 1;
    const outcome = this.#decide(event);
    if (outcome instanceof Promise) return this.#open(event, outcome);
    // Most answers are synchronous and need no call record.
    this.#running -= 1;
    this.#noteDialogue(event, outcome);
    return outcome;
  }

  askFor(event: AgentEvent, listener: AgentCallListener): AgentOutcome | null {
    const asked = this.ask(event);
    if (!(asked instanceof Promise)) return asked;
    void asked.then((outcome) => listener.answered(outcome));
    return null;
  }

  cancel(correlationId: string, reason: CancelReason): void {
    const call = this.#calls.get(correlationId);
    if (call !== undefined) this.#abandon(call, reason, failedOutcome('cancelled', reason));
    else if (this.#dialogues.delete(correlationId)) this.#notifyCancelled(correlationId, reason);
    this.#checkIdle();
  }

  /** Does nothing: an idle request has no state here. */
  conclude(): void {}

  configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    const configured = this.#configuring.then(() => this.#configure(config));
    this.#configuring = configured;
    return configured;
  }

  capabilities(): AgentCapabilities | null {
    return this.#state === 'ready' || this.#state === 'stopping' ? this.#service.capabilities() : null;
  }

  onCapabilities(listener: () => void): void {
    this.#onCapabilities = listener;
  }

  status(): AgentStatus {
    const health = this.#state === 'ready' ? this.#service.health() : null;
    return {
      name: this.name,
      state: health?.state ?? 'unreachable',
      connections: health === null ? 0 : 1,
      inFlight: this.#calls.size - this.#queued.size,
      queueDepth: this.#queued.size,
      health,
      breaker: null,
      ...(health?.disabledFeatures.includes(warmingUpFeature) ? { isStarting: true as const } : {}),
      refusal: this.#refusal,
      unsupportedEvents: [],
    };
  }

  sessions(): SessionAdministration | null {
    return this.#state === 'ready' ? (this.#service.sessions?.() ?? null) : null;
  }

  reportTo(reader: AgentReportReader): void {
    this.#reader = reader;
  }

  reportNow(): void {
    if (this.#state === 'ready') this.#reader?.reported(this.#service.metrics());
  }

  /** Reports the counters. There is no connection to close, and the successor reports the state. */
  retire(): void {
    this.#reportCounts();
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#state === 'stopping') return;
    this.#state = 'stopping';
    await new Promise<void>((resolve) => {
      const grace = this.#scheduler.after(graceMs, resolve);
      this.#onIdle = () => {
        grace.cancel();
        resolve();
      };
      this.#checkIdle();
    });
    for (const call of this.#calls.all()) {
      this.#abandon(call, 'proxy_shutdown', failedOutcome('cancelled', 'the client is closing'));
    }
    this.#dialogues.clear();
    this.#calls.close();
    this.#endHealth?.();
    this.#service.disconnected(this.#connection);
    this.#reportCounts();
    this.#reader?.ended(this.#service.capabilities().agentId);
    await this.#service.stop();
  }

  /** Reports counters if the client was started; one that never took effect reports nothing. */
  #reportCounts(): void {
    if (this.#isStarted) this.#reader?.reported({ ...this.#service.metrics(), gauges: [] });
  }

  /** Reason to refuse a call; null if it is accepted. */
  #refusalOf(event: AgentEvent, hasRoom: boolean): AgentOutcome | null {
    const isChunk = isBodyChunk(event);
    const wanted = this.#dialogues.size === 0 ? undefined : this.#dialogues.get(event.correlationId);
    if (isChunk && wanted !== event.kind)
      return failedOutcome('disconnected', 'the agent has no headers of this request');
    if (this.#state === 'refused') return failedOutcome('refused', 'the agent refused its configuration');
    if (this.#state === 'starting') return failedOutcome('unreachable', 'the agent has no configuration yet');
    if (this.#state === 'stopping' && !isChunk) return failedOutcome('unreachable', 'the client is closing');
    if (this.#calls.isOpen(event.correlationId) || (wanted !== undefined && !isChunk)) {
      return failedOutcome('unreachable', 'another call for this request is open');
    }
    if (!isChunk) {
      const health = this.#currentHealth();
      if (health === 'unhealthy') return unhealthyOutcome;
      if (health === 'draining') return failedOutcome('unreachable', 'the agent is draining');
    }
    if (!hasRoom && this.#queued.size >= this.#settings.maxQueueDepth) {
      const limit = agentQueueLimit(this.#settings.maxQueueDepth, this.#queued.size);
      return err({ code: 'queue_full', detail: `${limit.limit} calls are queued`, limit });
    }
    return null;
  }

  #hasRoom(): boolean {
    const { limits, features } = this.#service.capabilities();
    const { concurrentRequests } = features;
    const slots = concurrentRequests > 0 ? Math.min(limits.maxConcurrency, concurrentRequests) : limits.maxConcurrency;
    return this.#running < Math.max(1, slots);
  }

  /**
   * The agent announces changes. In a bad state, each call also asks, so that calls fail no longer
   * than necessary.
   */
  #currentHealth(): AgentState {
    if (this.#health === 'unhealthy' || this.#health === 'draining') this.#health = this.#service.health().state;
    return this.#health;
  }

  #noteHealth(state: AgentState): void {
    this.#health = state;
    if (state !== 'unhealthy') return;
    for (const call of this.#queued) {
      if (isBodyChunk(call.event)) continue;
      this.#queued.delete(call);
      this.#calls.settle(call, unhealthyOutcome);
    }
    this.#checkIdle();
  }

  /** Notifies the agent of a cancelled request, if it supports cancellation. */
  #notifyCancelled(correlationId: string, reason: CancelReason): void {
    if (!this.#service.capabilities().features.cancellation) return;
    this.#service.cancel(correlationId, reason, this.#connection);
  }

  #enqueue(event: AgentEvent): Promise<AgentOutcome> {
    return new Promise((resolve) => {
      this.#queued.add(this.#calls.open(event, resolve));
    });
  }

  #open(event: AgentEvent, outcome: Promise<AgentOutcome>): Promise<AgentOutcome> {
    return new Promise((resolve) => {
      const call = this.#calls.open(event, resolve);
      void outcome.then((outcome) => this.#ended(call, outcome));
    });
  }

  /** Never rejects. */
  #decide(event: AgentEvent): MaybePromise<AgentOutcome> {
    try {
      const answer = this.#service.decide(event, this.#connection);
      if (!(answer instanceof Promise)) return outcomeOf(answer, event);
      return answer.then((late) => outcomeOf(late, event), brokenOutcome);
    } catch (error) {
      return brokenOutcome(error);
    }
  }

  #ended(call: EmbeddedCall, outcome: AgentOutcome): void {
    this.#running -= 1;
    if (!call.isSettled) {
      this.#noteDialogue(call.event, outcome);
      this.#calls.settle(call, outcome);
    }
    for (const next of this.#queued) {
      if (!this.#hasRoom()) break;
      this.#queued.delete(next);
      this.#running += 1;
      void Promise.resolve(this.#decide(next.event)).then((later) => this.#ended(next, later));
    }
    this.#checkIdle();
  }

  #noteDialogue(event: AgentEvent, outcome: AgentOutcome): void {
    const { correlationId } = event;
    if (outcome.ok && opensDialogue(outcome.value)) {
      this.#dialogues.set(correlationId, requestedChunk(event));
    } else if (this.#dialogues.size > 0) {
      const wasDialogue = this.#dialogues.delete(correlationId);
      if (!outcome.ok && wasDialogue) this.#notifyCancelled(correlationId, 'manual');
    }
  }

  /** Abandons a call. Notifies the agent if it knows the request. */
  #abandon(call: EmbeddedCall, reason: CancelReason, outcome: AgentOutcome): void {
    const { correlationId } = call.event;
    const isWaiting = this.#queued.delete(call);
    const wasDialogue = this.#dialogues.delete(correlationId);
    if (!isWaiting || wasDialogue) this.#notifyCancelled(correlationId, reason);
    this.#calls.settle(call, outcome);
  }

  #checkIdle(): void {
    if (this.#onIdle !== null && this.#calls.size === 0 && this.#dialogues.size === 0) this.#onIdle();
  }

  async #configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    const { proxyId, proxyVersion } = this.#settings;
    const configured = await this.#offer(config, { proxyId, proxyVersion, connection: this.#connection });
    this.#refusal = configured.ok ? null : configured.error;
    if (configured.ok && this.#state !== 'stopping') {
      this.#state = 'ready';
      this.#health = this.#service.health().state;
      this.#onCapabilities?.();
    }
    // A refused configuration leaves the current one in effect.
    if (!configured.ok && this.#state === 'starting') this.#state = 'refused';
    return configured.ok ? ok(undefined) : err({ kind: 'refused', reason: configured.error });
  }

  async #offer(config: JsonObject | null, source: ConfigurationGiver): Promise<Result<void, string>> {
    try {
      // Every reload creates a new client and agent, so one version suffices.
      return await this.#service.configure(config, source, 'change', onlyVersion);
    } catch (error) {
      return err(`the agent failed: ${error instanceof Error ? error.name : 'unknown'}`);
    }
  }
}
