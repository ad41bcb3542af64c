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

/** Who is told what happens on every connection of a pool. */
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

/** How long a call that timed out tells against a connection, in milliseconds. */
const silenceMemoryMs = 5_000;

/** One connection of a pool, and what the agent has said by it. It is never used again after its end. */
export class PooledAgentConnection implements AgentConnectionListener {
  readonly #clock: Clock;
  readonly #owner: ConnectionOwner;
  readonly #line: AgentConnection;
  #capabilities: AgentCapabilities | null = null;
  #supported: ReadonlySet<string> = new Set();
  #health: AgentHealth | null = null;
  #healthAtMs = 0;
  #isOver = false;
  /** When a call timed out that no answer has followed; null where there is none. */
  #timedOutAtMs: number | null = null;
  /** What was handed over by it last. */
  config: JsonObject | null;
  /** Calls that have been sent by it and have no outcome; kept by the pool. */
  inFlight = 0;
  /** Dialogues that it alone can carry on; kept by their book. */
  dialogues = 0;
  /** Requests that are not over and that the agent knows by it; kept by their book. */
  followed = 0;
  /** The agent has said that it takes events which come after it was asked about a request. */
  hearsRest = false;
  /** The agent takes no event by it for now. */
  isPaused = false;
  /** It gets no new call, and is closed once it is idle. */
  isLeaving = false;
  /** When the handshake succeeded, on the monotonic clock; null before. */
  readySinceMs: number | null = null;

  constructor(connector: AgentConnector, config: JsonObject | null, clock: Clock, owner: ConnectionOwner) {
    this.config = config;
    this.#clock = clock;
    this.#owner = owner;
    this.#line = connector.connect(config, this);
  }

  /** What the agent said in the handshake; null before. */
  get capabilities(): AgentCapabilities | null {
    return this.#capabilities;
  }

  /** Its last report by this connection; null before the first. */
  get health(): AgentHealth | null {
    return this.#health;
  }

  /** When that came, on the monotonic clock. */
  get healthAtMs(): number {
    return this.#healthAtMs;
  }

  /** The state it last reported; healthy before. */
  get state(): AgentState {
    return this.#health?.state ?? 'healthy';
  }

  /** Whether the handshake has succeeded, and it has not ended. */
  get isReady(): boolean {
    return this.#capabilities !== null && !this.#isOver;
  }

  /** Whether it is there for new calls at all, be there room or not. */
  get takesCalls(): boolean {
    return this.isReady && !this.isLeaving && this.state !== 'draining' && this.state !== 'unhealthy';
  }

  /** Whether the agent drains it: it takes no new request, and what is left of those that it knows. */
  get takesRest(): boolean {
    return this.isReady && !this.isLeaving && this.state === 'draining';
  }

  /** Whether an event can be sent by it now. */
  get hasRoom(): boolean {
    return this.isReady && !this.isPaused && !this.#line.isBusy;
  }

  /** Whether a further event would leave together with others. */
  get isGathering(): boolean {
    return this.#line.isGathering === true;
  }

  /** Whether nothing is under way by it. */
  get isIdle(): boolean {
    return this.inFlight === 0 && this.dialogues === 0;
  }

  /** Whether calls timed out of late, and no answer at all has come since. */
  get isSilent(): boolean {
    return this.#timedOutAtMs !== null && this.#clock.monotonicMs() - this.#timedOutAtMs < silenceMemoryMs;
  }

  /** Whether it can be handed another configuration while it stands. */
  get takesConfiguration(): boolean {
    return this.#capabilities?.features.configPush ?? false;
  }

  /** Whether the agent has said in the handshake that it takes events of this kind. */
  supports(event: AgentEvent['kind']): boolean {
    return this.#supported.has(event);
  }

  noteTimeOut(): void {
    this.#timedOutAtMs = this.#clock.monotonicMs();
  }

  /** False where the event is larger than a message can be. */
  sendEvent(event: AgentEvent): boolean {
    return this.#line.sendEvent(event);
  }

  sendCancel(correlationId: string, reason: CancelReason): void {
    if (this.isReady) this.#line.sendCancel(correlationId, reason);
  }

  /** Hands over a configuration; `correlationId` must be unique, `version` names the change. Resolves in every case. */
  async configure(config: JsonObject | null, correlationId: string, version: string): Promise<ConfigureOutcome> {
    const outcome = await this.#line.configure(config, correlationId, version);
    if (!outcome.ok) return err({ ...outcome.error, reason: shortened(outcome.error.reason) });
    this.config = config;
    return outcome;
  }

  close(detail: string): void {
    if (!this.#isOver) this.#line.close(detail);
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
