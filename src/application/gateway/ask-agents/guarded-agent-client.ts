import { isBodyChunk, opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import { octetsOfAnswerOver } from '../../../domain/agent-protocol/lasting-answers.js';
import { type AgentEvent, allowAnswer, type CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { CircuitBreakerRules } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { AgentSubscription } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { agentResponseLimit } from '../../../domain/gateway/limits/agent-limits.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { ok } from '../../../domain/shared/result.js';
import type {
  AgentCallListener,
  AgentClient,
  AgentOutcome,
  AgentReportReader,
  AgentStatus,
  AgentSuccession,
  ConfigureOutcome,
} from '../../ports/gateway/agent-client.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { SessionAdministration } from '../../ports/shared/session-administration.js';
import type { CircuitBreakerHolder } from '../circuit-breakers/circuit-breaker-holder.js';
import { admitCall, agentBreaker, noteCall } from './agent-breaker.js';
import { failedOutcome } from './agent-call.js';
import { agentTextLimits } from './agent-lines.js';

/** The most agent ids for which a warning is remembered, so that an agent with ever new ids cannot fill memory. */
const maximumWarned = 64;

/** The events that an agent supports, compared with those that its block subscribes to. */
class EventSupport {
  readonly #agent: string;
  readonly #subscribed: readonly AgentSubscription[];
  readonly #logger: Logger;
  readonly #warned = new Set<string>();
  #capabilities: AgentCapabilities | null = null;
  #supported: ReadonlySet<string> = new Set();
  #missing: readonly AgentSubscription[] = [];

  constructor(agent: string, subscribed: readonly AgentSubscription[], logger: Logger) {
    this.#agent = agent;
    this.#subscribed = subscribed;
    this.#logger = logger;
  }

  /** Takes the agent's last capabilities; null: none yet. */
  review(capabilities: AgentCapabilities | null): void {
    // The object stays the same until the next handshake.
    if (capabilities === this.#capabilities || capabilities === null) return;
    this.#capabilities = capabilities;
    this.#supported = new Set(capabilities.supportedEvents);
    this.#missing = this.#subscribed.filter((event) => !this.#supported.has(event));
    if (this.#missing.length > 0) this.#warn(capabilities.agentId.slice(0, agentTextLimits.id), this.#missing);
  }

  /** The subscribed events that the agent does not support. */
  get missing(): readonly AgentSubscription[] {
    return this.#missing;
  }

  /** Whether the agent supports an event; true before its capabilities are known. */
  has(event: AgentEvent['kind']): boolean {
    return this.#capabilities === null || this.#supported.has(event);
  }

  #warn(agentId: string, missing: readonly AgentSubscription[]): void {
    if (this.#warned.has(agentId)) return;
    const [oldest] = this.#warned;
    if (this.#warned.size >= maximumWarned && oldest !== undefined) this.#warned.delete(oldest);
    this.#warned.add(agentId);
    this.#logger.warn('Agent does not support events that it is subscribed to', {
      agent: this.#agent,
      agent_id: agentId,
      events: missing,
    });
  }
}

/** The rules for calls to one agent, on any transport. */
export interface AgentCallRules {
  /** Null: no circuit breaker. */
  readonly breaker: CircuitBreakerRules | null;
  /** The largest answer in octets, without body mutations; see `octetsOverMaximum`. */
  readonly maxResponseBytes: number;
  /** The events that the agent's block subscribes to. */
  readonly events: readonly AgentSubscription[];
}

/** The outcome for an unsupported event. A notification counts as answered, because its answer has no effect. */
const unsupported = ({ kind }: AgentEvent, outcome: AgentOutcome): AgentOutcome =>
  kind === 'request_complete' ? ok(allowAnswer) : outcome;

const circuitOpen = failedOutcome('circuit_open', 'the agent has failed too often');

/** Checks the outcome of a call before its listener gets it. */
class GuardedCall implements AgentCallListener {
  readonly #event: AgentEvent;
  readonly #period: number;
  readonly #listener: AgentCallListener;
  readonly #settle: (event: AgentEvent, period: number, given: AgentOutcome) => AgentOutcome;

  constructor(
    event: AgentEvent,
    period: number,
    listener: AgentCallListener,
    settle: (event: AgentEvent, period: number, given: AgentOutcome) => AgentOutcome,
  ) {
    this.#event = event;
    this.#period = period;
    this.#listener = listener;
    this.#settle = settle;
  }

  answered(outcome: AgentOutcome): void {
    this.#listener.answered(this.#settle(this.#event, this.#period, outcome));
  }
}

/**
 * Wraps an agent's client with rules that are the same for all transports: a circuit breaker, a limit for the size of
 * answers, and no events that the agent does not support.
 */
export class GuardedAgentClient implements AgentClient {
  readonly name: string;
  readonly #inner: AgentClient;
  readonly #maxResponseBytes: number;
  readonly #breaker: CircuitBreakerHolder;
  readonly #support: EventSupport;

  constructor(
    inner: AgentClient,
    { breaker, maxResponseBytes, events }: AgentCallRules,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.name = inner.name;
    this.#inner = inner;
    this.#maxResponseBytes = maxResponseBytes;
    this.#breaker = agentBreaker(inner.name, breaker, clock, logger);
    this.#support = new EventSupport(inner.name, events, logger);
  }

  ask(event: AgentEvent): MaybePromise<AgentOutcome> {
    const obstacle = this.#unsupported(event);
    if (obstacle !== null) return obstacle;
    const period = admitCall(this.#breaker, event);
    if (period === null) return circuitOpen;
    const given = this.#inner.ask(event);
    if (!(given instanceof Promise)) return this.#settled(event, period, given);
    return given.then((late) => this.#settled(event, period, late));
  }

  askFor(event: AgentEvent, listener: AgentCallListener): AgentOutcome | null {
    const obstacle = this.#unsupported(event);
    if (obstacle !== null) return obstacle;
    const period = admitCall(this.#breaker, event);
    if (period === null) return circuitOpen;
    const given = this.#inner.askFor(event, new GuardedCall(event, period, listener, this.#settle));
    return given === null ? null : this.#settled(event, period, given);
  }

  cancel(correlationId: string, reason: CancelReason): void {
    this.#inner.cancel(correlationId, reason);
  }

  conclude(correlationId: string): void {
    this.#inner.conclude(correlationId);
  }

  configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    return this.#inner.configure(config);
  }

  capabilities(): AgentCapabilities | null {
    return this.#inner.capabilities();
  }

  onCapabilities(listener: () => void): void {
    this.#inner.onCapabilities(listener);
  }

  status(): AgentStatus {
    this.#support.review(this.#inner.capabilities());
    const unsupportedEvents = this.#support.missing;
    return { ...this.#inner.status(), breaker: this.#breaker.state, unsupportedEvents };
  }

  sessions(): SessionAdministration | null {
    return this.#inner.sessions?.() ?? null;
  }

  reportTo(reader: AgentReportReader): void {
    this.#inner.reportTo(reader);
  }

  reportNow(): void {
    this.#inner.reportNow();
  }

  start(): void {
    this.#inner.start();
  }

  retire(next: AgentSuccession): void {
    this.#inner.retire(next);
  }

  stop(graceMs: number): Promise<void> {
    return this.#inner.stop(graceMs);
  }

  /** The outcome of a call for an unsupported event; null: the event is supported. */
  #unsupported(event: AgentEvent): AgentOutcome | null {
    this.#support.review(this.#inner.capabilities());
    if (isBodyChunk(event) || this.#support.has(event.kind)) return null;
    return unsupported(event, failedOutcome('unsupported_event', `the agent does not support ${event.kind}`));
  }

  readonly #settle = (event: AgentEvent, period: number, given: AgentOutcome): AgentOutcome =>
    this.#settled(event, period, given);

  #settled(event: AgentEvent, period: number, given: AgentOutcome): AgentOutcome {
    const outcome = this.#checked(event, given);
    noteCall(this.#breaker, period, outcome);
    if (outcome.ok || outcome.error.code !== 'unsupported_event') return outcome;
    // The agent has connected for the first time, or with another version, since the call was made.
    this.#support.review(this.#inner.capabilities());
    return unsupported(event, outcome);
  }

  #checked(event: AgentEvent, outcome: AgentOutcome): AgentOutcome {
    if (!outcome.ok) return outcome;
    const answer = outcome.value;
    const isOpen = opensDialogue(answer);
    let failure: AgentOutcome | null = null;
    const maximum = this.#maxResponseBytes;
    const octets = octetsOfAnswerOver(answer, maximum);
    if (octets !== null) {
      const limit = agentResponseLimit(maximum, octets);
      failure = failedOutcome('response_too_large', `the answer exceeds ${maximum} octets`, limit);
    } else if (isOpen && !this.#takesBodyAfter(event)) {
      failure = failedOutcome('malformed_answer', 'it asks for a body, but does not support body chunks');
    }
    if (failure === null) return outcome;
    // No chunk follows, so the agent can release its state for the request.
    if (isOpen) this.#inner.cancel(event.correlationId, 'manual');
    return failure;
  }

  /** Whether the agent supports the body that it asks for. */
  #takesBodyAfter(event: AgentEvent): boolean {
    this.#support.review(this.#inner.capabilities());
    switch (event.kind) {
      case 'request_headers':
        return this.#support.has('request_body_chunk');
      case 'response_headers':
        return this.#support.has('response_body_chunk');
      default:
        return true;
    }
  }
}
