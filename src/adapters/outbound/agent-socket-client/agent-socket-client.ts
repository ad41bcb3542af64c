import type {
  AgentClient,
  AgentFailureCode,
  AgentOutcome,
  AgentReportReader,
  AgentStatus,
  ConfigureOutcome,
} from '../../../application/ports/agent-client.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Logger } from '../../../application/ports/logger.js';
import type { Random } from '../../../application/ports/random.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/scheduler.js';
import { answerFault, opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import { sortOwnedHeaders } from '../../../domain/identity/offered-owned-headers.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type AgentCall, failedOutcome } from './agent-call.js';
import type { AgentConnection, ConnectionEnd, ConnectionListener } from './agent-connection.js';
import { CallBook } from './call-book.js';
import { ConnectionPool } from './connection-pool.js';
import { ReachabilityLog } from './reachability-log.js';
import { ReportingConnections } from './reporting-connections.js';
import {
  type AgentSocketClientOptions,
  type AgentSocketClientSettings,
  defaultAgentSocketClientOptions,
} from './socket-client-options.js';

/** Asks an agent over its Unix socket: agent protocol v2, a pool of connections, many calls on each. */
export class AgentSocketClient implements AgentClient, ConnectionListener {
  readonly name: string;
  readonly #settings: AgentSocketClientSettings;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #log: ReachabilityLog;
  readonly #pool: ConnectionPool;
  readonly #calls: CallBook;
  readonly #waiting = new Set<AgentCall>();
  /** Requests whose body the agent wants, by correlation id, with the connection that has their headers. */
  readonly #dialogues = new Map<string, AgentConnection>();
  readonly #reporters: ReportingConnections;
  #reader: AgentReportReader | null = null;
  #config: JsonObject | null;
  #capabilities: AgentCapabilities | null = null;
  #configuring: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  #isRetired = false;
  /** Another client has taken its place: that one says how the agent is. */
  #isSucceeded = false;
  /** From the start until a first connection stands: calls wait for that while any first attempt goes on. */
  #isAwaitingFirst = false;
  #onIdle: (() => void) | null = null;

  constructor(
    settings: AgentSocketClientSettings,
    clock: Clock,
    scheduler: Scheduler,
    random: Random,
    logger: Logger,
    options: Partial<AgentSocketClientOptions> = {},
  ) {
    this.name = settings.name;
    this.#settings = settings;
    this.#scheduler = scheduler;
    this.#random = random;
    this.#config = settings.config;
    this.#log = new ReachabilityLog(settings.name, clock, logger);
    this.#reporters = new ReportingConnections(clock);
    this.#calls = new CallBook(settings.timeoutMs, clock, scheduler, (call) => {
      call.connection?.noteTimeOut();
      this.#abandon(call, 'timeout', failedOutcome('timed_out', `no answer in ${settings.timeoutMs} ms`));
    });
    this.#pool = new ConnectionPool({
      settings,
      options: { ...defaultAgentSocketClientOptions, ...options },
      clock,
      scheduler,
      random,
      listener: this,
      currentConfig: () => this.#config,
      onFailedAttempt: (end) => {
        if (!this.#isStopping) this.#onLoss(end);
      },
    });
  }

  start(): void {
    this.#isAwaitingFirst = true;
    this.#pool.start();
  }

  ask(event: AgentEvent): Promise<AgentOutcome> {
    const { correlationId } = event;
    const pinned = this.#dialogues.get(correlationId) ?? null;
    const isChunk = event.kind === 'request_body_chunk';
    if (isChunk && pinned === null) {
      return this.#refuse('disconnected', 'the connection that the headers went by has ended');
    }
    if (this.#isStopping && !isChunk) return this.#refuse('unreachable', 'the client is closing');
    if (this.#calls.isTaken(correlationId) || (pinned !== null && !isChunk)) {
      return this.#refuse('unreachable', 'another call for this request is open');
    }
    const connection = pinned ?? this.#pool.choose();
    if (connection === null && !this.#isTryingFirst()) return this.#refuse(...this.#absence());
    const free = connection?.hasRoom ? connection : null;
    if (free === null && this.#waiting.size >= this.#settings.maxQueueDepth) {
      return this.#refuse('queue_full', `${this.#waiting.size} calls are waiting already`);
    }
    return new Promise((resolve) => {
      const call = this.#calls.open(event, pinned, resolve);
      if (free !== null) this.#send(call, free);
      else this.#waiting.add(call);
    });
  }

  cancel(correlationId: string, reason: CancelReason): void {
    const call = this.#calls.get(correlationId);
    if (call !== undefined) this.#abandon(call, reason, failedOutcome('cancelled', reason));
    else this.#closeDialogue(correlationId, reason);
    this.#checkIdle();
  }

  configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    const configured = this.#configuring.then(() => this.#configure(config));
    this.#configuring = configured;
    return configured;
  }

  capabilities(): AgentCapabilities | null {
    return this.#capabilities;
  }

  status(): AgentStatus {
    const ready = this.#pool.ready();
    let inFlight = 0;
    for (const connection of ready) inFlight += connection.inFlight;
    return {
      name: this.name,
      state: this.#pool.state(),
      connections: ready.length,
      inFlight,
      queueDepth: this.#waiting.size,
    };
  }

  reportTo(reader: AgentReportReader): void {
    this.#reader = reader;
  }

  /** It reports by itself. */
  reportNow(): void {}

  retire(isContinued: boolean, isSucceeded: boolean): void {
    this.#isRetired = true;
    this.#isSucceeded = isSucceeded;
    this.#pool.retire(isContinued && this.#isTryingFirst());
    if (!this.#isTryingFirst()) this.#failStranded('another configuration has come into force');
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    await new Promise<void>((resolve) => {
      const grace: ScheduledTask = this.#scheduler.after(graceMs, resolve);
      this.#onIdle = () => {
        grace.cancel();
        resolve();
      };
      this.#checkIdle();
    });
    for (const call of this.#calls.all()) {
      this.#abandon(call, 'proxy_shutdown', failedOutcome('cancelled', 'the client is closing'));
    }
    for (const correlationId of [...this.#dialogues.keys()]) this.#closeDialogue(correlationId, 'proxy_shutdown');
    this.#pool.stop();
    this.#calls.close();
  }

  onReady(connection: AgentConnection): void {
    this.#isAwaitingFirst = false;
    this.#pool.onReady(connection);
    // The configuration changed during its handshake.
    if (connection.config !== this.#config) void this.#bringUpToDate(connection);
    if (connection.capabilities !== null) this.#takeCapabilities(connection.capabilities);
    this.#pump();
  }

  onAnswer(connection: AgentConnection, correlationId: string, answer: Result<AgentAnswer, string>): void {
    const call = this.#calls.get(correlationId);
    if (call === undefined || call.connection !== connection) {
      this.#calls.takeLate(correlationId, connection);
      return;
    }
    connection.inFlight -= 1;
    const problem = answer.ok ? answerFault(answer.value, call.event) : answer.error;
    if (!answer.ok || problem !== null) {
      this.#closeDialogue(correlationId, 'manual');
      this.#calls.settle(call, failedOutcome('malformed_answer', problem ?? ''));
    } else {
      if (opensDialogue(answer.value)) this.#dialogues.set(correlationId, connection);
      else this.#dialogues.delete(correlationId);
      this.#calls.settle(call, answer);
    }
    this.#afterAnswer(connection);
  }

  onHealth(connection: AgentConnection, health: AgentHealth): void {
    this.#log.health(health.state, health.message);
    if (health.state === 'draining') this.#failStranded('the agent is draining');
    this.#closeDrained(connection);
  }

  onMetrics(connection: AgentConnection, report: MetricsReport): void {
    if (this.#reporters.speaks(connection, report)) this.#reader?.reported(report);
  }

  onUnreadableReport(problem: string): void {
    this.#log.unreadableReport(problem);
  }

  onRoom(): void {
    this.#pump();
  }

  onEnd(connection: AgentConnection, end: ConnectionEnd): void {
    if (end.kind === 'malformed') this.#log.malformed(end);
    this.#pool.onEnd(connection);
    this.#reporters.ended(connection);
    this.#noteLastOf(connection.capabilities?.agentId);
    for (const [correlationId, owner] of this.#dialogues) {
      if (owner === connection) this.#dialogues.delete(correlationId);
    }
    const code = end.kind === 'malformed' ? 'malformed_answer' : 'disconnected';
    for (const call of this.#calls.callsOf(connection)) {
      this.#waiting.delete(call);
      this.#calls.settle(call, failedOutcome(code, end.detail));
    }
    if (!this.#isStopping) this.#onLoss(end);
    this.#checkIdle();
  }

  #takeCapabilities(offered: AgentCapabilities): void {
    const { accepted, dropped } = sortOwnedHeaders(offered.ownedHeaders);
    this.#capabilities = { ...offered, ownedHeaders: accepted };
    this.#log.up(offered);
    if (dropped.length > 0) this.#log.droppedOwnedHeaders(dropped);
  }

  /** The gauges of an agent that is reached no more go with its last connection. */
  #noteLastOf(agentId: string | undefined): void {
    if (agentId === undefined || this.#isSucceeded) return;
    if (!this.#pool.ready().some(({ capabilities }) => capabilities?.agentId === agentId)) this.#reader?.ended(agentId);
  }

  #isTryingFirst(): boolean {
    return this.#isAwaitingFirst && this.#pool.isTrying;
  }

  #refuse(code: AgentFailureCode, detail: string): Promise<AgentOutcome> {
    return Promise.resolve(failedOutcome(code, detail));
  }

  #absence(): [AgentFailureCode, string] {
    if (this.#pool.ready().length > 0) return ['unreachable', 'the agent is draining'];
    if (this.#log.isRefused) return ['refused', 'the agent and the gateway do not agree'];
    return ['unreachable', 'there is no connection to the agent'];
  }

  #send(call: AgentCall, connection: AgentConnection): void {
    if (!connection.sendEvent(call.event)) {
      this.#closeDialogue(call.event.correlationId, 'manual');
      this.#calls.settle(call, failedOutcome('unreachable', 'the event is larger than a frame can be'));
      return;
    }
    call.connection = connection;
    connection.inFlight += 1;
  }

  /** Gives up a call: tells the agent where it knows of it. */
  #abandon(call: AgentCall, reason: CancelReason, outcome: AgentOutcome): void {
    const { correlationId } = call.event;
    const { connection } = call;
    this.#waiting.delete(call);
    if (connection === null) {
      this.#closeDialogue(correlationId, reason);
    } else {
      this.#dialogues.delete(correlationId);
      connection.inFlight -= 1;
      connection.sendCancel(correlationId, reason);
      this.#calls.expectLate(correlationId, connection);
    }
    this.#calls.settle(call, outcome);
    if (connection !== null) this.#afterAnswer(connection);
  }

  /** The agent need not wait for the rest of a body. */
  #closeDialogue(correlationId: string, reason: CancelReason): void {
    const connection = this.#dialogues.get(correlationId);
    if (connection === undefined) return;
    this.#dialogues.delete(correlationId);
    connection.sendCancel(correlationId, reason);
    this.#closeDrained(connection);
  }

  #afterAnswer(connection: AgentConnection): void {
    if (this.#waiting.size > 0) this.#pump();
    this.#closeDrained(connection);
    this.#checkIdle();
  }

  /** Sends what waits, as far as there is room. */
  #pump(): void {
    let free = this.#pool.choose();
    for (const call of this.#waiting) {
      const connection = call.pinned ?? free;
      if (!connection?.hasRoom) continue;
      this.#waiting.delete(call);
      this.#send(call, connection);
      free = this.#pool.choose();
    }
  }

  /** An agent that drains waits for nothing else. */
  #closeDrained(connection: AgentConnection): void {
    if (connection.state !== 'draining' || connection.inFlight > 0) return;
    for (const owner of this.#dialogues.values()) if (owner === connection) return;
    connection.close('the agent has drained');
  }

  /** No connection can take a new call: those that wait for one need not wait on. */
  #failStranded(detail: string): void {
    if (this.#pool.choose() !== null) return;
    const code = this.#log.isRefused ? 'refused' : 'unreachable';
    for (const call of this.#waiting) {
      if (call.pinned !== null) continue;
      this.#waiting.delete(call);
      this.#calls.settle(call, failedOutcome(code, detail));
    }
  }

  #onLoss(end: ConnectionEnd): void {
    // Another attempt may succeed yet.
    if (this.#isTryingFirst() || this.#pool.ready().length > 0) return;
    if (!this.#isRetired) this.#log.down(end);
    this.#failStranded(end.detail);
  }

  #checkIdle(): void {
    if (this.#onIdle !== null && this.#calls.size === 0 && this.#dialogues.size === 0) this.#onIdle();
  }

  /**
   * The first connection decides; the others follow it, or connect anew with what is in force. Only a refusal keeps the
   * old configuration: without an answer the new one is what the next handshakes bring.
   */
  async #configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    const [first] = this.#pool.ready();
    if (first === undefined) {
      this.#config = config;
      this.#pool.hurry();
      return err({ kind: 'no_answer', reason: 'there is no connection to the agent' });
    }
    const outcome = await first.configure(config, this.#random.uuid(), this.#scheduler);
    if (!outcome.ok && outcome.error.kind === 'refused') return outcome;
    this.#config = config;
    // Its handshake says what is in force, whichever the agent has now.
    if (!outcome.ok) first.close(outcome.error.reason);
    const ready = this.#pool.ready().filter((connection) => connection !== first);
    const taken = await Promise.all(ready.map((connection) => this.#bringUpToDate(connection)));
    return outcome.ok || !taken.includes(true) ? outcome : ok(undefined);
  }

  /** Whether a connection has the configuration in force; one that has not is closed. */
  async #bringUpToDate(connection: AgentConnection): Promise<boolean> {
    const outcome = await connection.configure(this.#config, this.#random.uuid(), this.#scheduler);
    if (!outcome.ok) connection.close('it does not take the configuration in force');
    return outcome.ok;
  }
}
