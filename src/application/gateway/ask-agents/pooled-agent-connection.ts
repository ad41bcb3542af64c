import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';
import type { AgentHealth, AgentState } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, type Result } from '../../../domain/shared/result.js';
import type { ConfigureOutcome } from '../../ports/gateway/agent-client.js';
import type {
  AgentConnection,
  AgentConnectionListener,
  AgentConnector,
  ConnectionEnd,
} from '../../ports/gateway/agent-connector.js';
import type { Clock } from '../../ports/shared/clock.js';
import { shortened, shortenedHealth } from './agent-lines.js';

/** Receives the events of all connections of a pool. */
export interface ConnectionOwner {
  onReady(connection: PooledAgentConnection): void;
  onAnswer(connection: PooledAgentConnection, correlationId: string, answer: Result<AgentAnswer, string>): void;
  onHealth(connection: PooledAgentConnection, health: AgentHealth): void;
  onMetrics(connection: PooledAgentConnection, report: MetricsReport): void;
  onFlowControl(connection: PooledAgentConnection, signal: FlowControl): void;
  onConfigUpdate(connection: PooledAgentConnection, request: ConfigUpdateRequest): void;
  onLogLine(line: AgentLogLine): void;
  onUnreadableReport(problem: string): void;
  onRoom(): void;
  onEnd(connection: PooledAgentConnection, end: ConnectionEnd): void;
}

/** How long a timed-out call counts against a connection; milliseconds. */
const silenceMemoryMs = 5_000;

/** One connection of a pool, with the agent's reports on it. It is not used after its end. */
export class PooledAgentConnection implements AgentConnectionListener {
  readonly #clock: Clock;
  readonly #owner: ConnectionOwner;
  readonly #transport: AgentConnection;
  #capabilities: AgentCapabilities | null = null;
  #supported: ReadonlySet<string> = new Set();
  #health: AgentHealth | null = null;
  #healthAtMs = 0;
  #isOver = false;
  /** The time of the last timeout since the last answer; null: none. */
  #timedOutAtMs: number | null = null;
  /** The configuration that was last delivered on it. */
  config: JsonObject | null;
  /** Calls in flight on it. The pool maintains the number. */
  inFlight = 0;
  /** Open dialogues on it. `Dialogues` maintains the number. */
  dialogues = 0;
  /** Open requests whose head it carried. `EventRoutes` maintains the number. */
  followed = 0;
  /** The agent supports later events than the request head. */
  hearsRest = false;
  /** The agent has paused it. */
  isPaused = false;
  /** It gets no new calls, and is closed when it is idle. */
  isLeaving = false;
  /** The time of the handshake on the monotonic clock; null before. */
  readySinceMs: number | null = null;

  constructor(connector: AgentConnector, config: JsonObject | null, clock: Clock, owner: ConnectionOwner) {
    this.config = config;
    this.#clock = clock;
    this.#owner = owner;
    this.#transport = connector.connect(config, this);
  }

  /** The agent's capabilities from the handshake; null before. */
  get capabilities(): AgentCapabilities | null {
    return this.#capabilities;
  }

  /** The last health report on this connection; null before the first. */
  get health(): AgentHealth | null {
    return this.#health;
  }

  /** The arrival of `health` on the monotonic clock. */
  get healthAtMs(): number {
    return this.#healthAtMs;
  }

  /** The last reported state; healthy before the first report. */
  get state(): AgentState {
    return this.#health?.state ?? 'healthy';
  }

  /** Whether the handshake has succeeded and the connection is open. */
  get isReady(): boolean {
    return this.#capabilities !== null && !this.#isOver;
  }

  /** Whether it accepts new calls, with or without room at the moment. */
  get takesCalls(): boolean {
    return this.isReady && !this.isLeaving && this.state !== 'draining' && this.state !== 'unhealthy';
  }

  /** Whether it drains: it accepts no new requests, but later events of known requests. */
  get takesRest(): boolean {
    return this.isReady && !this.isLeaving && this.state === 'draining';
  }

  /** Whether it can send an event now. */
  get hasRoom(): boolean {
    return this.isReady && !this.isPaused && !this.#transport.isBusy;
  }

  /** Whether another event would be sent in one batch with others. */
  get isGathering(): boolean {
    return this.#transport.isGathering === true;
  }

  /** Whether it has no calls and no dialogues. */
  get isIdle(): boolean {
    return this.inFlight === 0 && this.dialogues === 0;
  }

  /** Whether a call timed out recently, and no answer has arrived since. */
  get isSilent(): boolean {
    return this.#timedOutAtMs !== null && this.#clock.monotonicMs() - this.#timedOutAtMs < silenceMemoryMs;
  }

  /** Whether the agent accepts another configuration on the open connection. */
  get takesConfiguration(): boolean {
    return this.#capabilities?.features.configPush ?? false;
  }

  /** Whether the agent supports events of this kind, according to the handshake. */
  supports(event: AgentEvent['kind']): boolean {
    return this.#supported.has(event);
  }

  noteTimeOut(): void {
    this.#timedOutAtMs = this.#clock.monotonicMs();
  }

  /** Returns false if the event exceeds the message size. */
  sendEvent(event: AgentEvent): boolean {
    return this.#transport.sendEvent(event);
  }

  sendCancel(correlationId: string, reason: CancelReason): void {
    if (this.isReady) this.#transport.sendCancel(correlationId, reason);
  }

  /** Delivers a configuration. `correlationId` must be unique; `version` identifies the change. Never rejects. */
  async configure(config: JsonObject | null, correlationId: string, version: string): Promise<ConfigureOutcome> {
    const outcome = await this.#transport.configure(config, correlationId, version);
    if (!outcome.ok) return err({ ...outcome.error, reason: shortened(outcome.error.reason) });
    this.config = config;
    return outcome;
  }

  close(detail: string): void {
    if (!this.#isOver) this.#transport.close(detail);
  }

  onReady(capabilities: AgentCapabilities): void {
    this.#capabilities = capabilities;
    this.#supported = new Set(capabilities.supportedEvents);
    this.hearsRest = this.supports('response_headers') || this.supports('request_complete');
    this.readySinceMs = this.#clock.monotonicMs();
    this.#owner.onReady(this);
  }

  onAnswer(correlationId: string, answer: Result<AgentAnswer, string>): void {
    this.#timedOutAtMs = null;
    this.#owner.onAnswer(this, correlationId, answer);
  }

  onHealth(health: AgentHealth): void {
    this.#health = shortenedHealth(health);
    this.#healthAtMs = this.#clock.monotonicMs();
    this.#owner.onHealth(this, this.#health);
  }

  onMetrics(report: MetricsReport): void {
    this.#owner.onMetrics(this, report);
  }

  onFlowControl(signal: FlowControl): void {
    this.#owner.onFlowControl(this, signal);
  }

  onConfigUpdate(request: ConfigUpdateRequest): void {
    this.#owner.onConfigUpdate(this, request);
  }

  onLogLine(line: AgentLogLine): void {
    this.#owner.onLogLine(line);
  }

  onUnreadableReport(problem: string): void {
    this.#owner.onUnreadableReport(shortened(problem));
  }

  onRoom(): void {
    this.#owner.onRoom();
  }

  onEnd(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#owner.onEnd(this, { kind: end.kind, detail: shortened(end.detail) });
  }
}
