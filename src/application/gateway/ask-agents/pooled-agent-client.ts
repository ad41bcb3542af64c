import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import { sortOwnedHeaders } from '../../../domain/gateway/identity-headers/offered-owned-headers.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type {
  AgentCallListener,
  AgentClient,
  AgentFailure,
  AgentOutcome,
  AgentReportReader,
  AgentStatus,
  AgentSuccession,
  ConfigureOutcome,
} from '../../ports/gateway/agent-client.js';
import type { AgentConnector, ConnectionEnd } from '../../ports/gateway/agent-connector.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { SessionAdministration } from '../../ports/shared/session-administration.js';
import { AgentLines } from './agent-lines.js';
import { CallTraffic } from './call-traffic.js';
import { ConfigurationHandover } from './configuration-handover.js';
import { ConnectionPool } from './connection-pool.js';
import type { ConnectionOwner, PooledAgentConnection } from './pooled-agent-connection.js';
import {
  defaultPooledAgentClientOptions,
  type PooledAgentClientConfiguration,
  type PooledAgentClientEnvironment,
  type PooledAgentClientOptions,
} from './pooled-client-options.js';
import { ReachabilityLog } from './reachability-log.js';
import { ReportingConnections } from './reporting-connections.js';

/** The client of an agent in another process, on any transport: a pool of connections with many calls on each. */
export class PooledAgentClient implements AgentClient, ConnectionOwner {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #log: ReachabilityLog;
  readonly #lines: AgentLines;
  readonly #reporters: ReportingConnections;
  readonly #pool: ConnectionPool;
  readonly #traffic: CallTraffic;
  readonly #handover: ConfigurationHandover;
  readonly #sessions: SessionAdministration | null;
  #reader: AgentReportReader | null = null;
  #capabilities: AgentCapabilities | null = null;
  #onCapabilities: (() => void) | null = null;
  #isStopping = false;
  #isRetired = false;
  /** Another client has replaced this one, and reports the agent's metrics. */
  #isSucceeded = false;
  /** True from the start until a first connection is ready. Meanwhile calls wait for the first attempts. */
  #isAwaitingFirst = false;
  #onIdle: (() => void) | null = null;

  constructor(
    settings: PooledAgentClientConfiguration,
    connector: AgentConnector,
    environment: PooledAgentClientEnvironment,
    options: Partial<PooledAgentClientOptions> = {},
  ) {
    const { name, config, connections } = settings;
    const { clock, scheduler, random, logger } = environment;
    const { backoff, steadyAfterMs, ...handoverOptions } = { ...defaultPooledAgentClientOptions, ...options };
    this.name = name;
    this.#sessions = settings.sessions ?? null;
    this.#scheduler = scheduler;
    this.#log = new ReachabilityLog(name, clock, logger);
    this.#lines = new AgentLines(name, clock, logger);
    this.#reporters = new ReportingConnections(clock);
    this.#pool = new ConnectionPool(connections, {
      connector,
      backoff,
      steadyAfterMs,
      clock,
      scheduler,
      random,
      owner: this,
      currentConfig: () => this.#handover.config,
      onFailedAttempt: (end) => {
        this.#handover.onEnd(end, null);
        if (!this.#isStopping) this.#onLoss(end);
      },
    });
    this.#traffic = new CallTraffic({
      ...settings,
      pool: this.#pool,
      clock,
      scheduler,
      absence: () => (this.#isExpecting() ? null : this.#absence()),
      onIdle: () => this.#onIdle?.(),
    });
    this.#handover = new ConfigurationHandover({
      config,
      pool: this.#pool,
      clock,
      scheduler,
      random,
      ...handoverOptions,
      closeIfDone: (connection) => this.#traffic.closeIfDone(connection),
      onRefusal: (reason) => this.#log.refusesConfiguration(reason),
    });
  }

  start(): void {
    this.#isAwaitingFirst = true;
    this.#pool.start();
  }

  ask(event: AgentEvent): Promise<AgentOutcome> {
    return new Promise((resolve) => {
      const outcome = this.#traffic.ask(event, { answered: resolve });
      if (outcome !== null) resolve(outcome);
    });
  }

  askFor(event: AgentEvent, listener: AgentCallListener): AgentOutcome | null {
    return this.#traffic.ask(event, listener);
  }

  cancel(correlationId: string, reason: CancelReason): void {
    this.#traffic.cancel(correlationId, reason);
  }

  conclude(correlationId: string): void {
    this.#traffic.conclude(correlationId);
  }

  configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    return this.#handover.configure(config);
  }

  capabilities(): AgentCapabilities | null {
    return this.#capabilities;
  }

  onCapabilities(listener: () => void): void {
    this.#onCapabilities = listener;
  }

  status(): AgentStatus {
    return {
      name: this.name,
      state: this.#pool.state(),
      connections: this.#pool.ready().length,
      inFlight: this.#pool.inFlight,
      queueDepth: this.#traffic.queueDepth,
      health: this.#pool.health(),
      breaker: null,
      refusal: this.#handover.refusal ?? this.#log.refusal,
      unsupportedEvents: [],
    };
  }

  sessions(): SessionAdministration | null {
    return this.#sessions;
  }

  reportTo(reader: AgentReportReader): void {
    this.#reader = reader;
  }

  /** Does nothing: the agent pushes its reports. */
  reportNow(): void {}

  retire({ sameConfig, hasSuccessor }: AgentSuccession): void {
    this.#isRetired = true;
    this.#isSucceeded = hasSuccessor;
    this.#handover.retire();
    this.#pool.retire(sameConfig && this.#isTryingFirst());
    this.#failStranded('another configuration has come into force');
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#traffic.close();
    await new Promise<void>((resolve) => {
      const grace = this.#scheduler.after(graceMs, resolve);
      this.#onIdle = () => {
        grace.cancel();
        resolve();
      };
      if (this.#traffic.isIdle) this.#onIdle();
    });
    this.#traffic.end();
    this.#handover.retire();
    this.#pool.stop();
  }

  onReady(connection: PooledAgentConnection): void {
    this.#isAwaitingFirst = false;
    this.#pool.onReady(connection);
    this.#handover.onReady(connection);
    if (connection.capabilities !== null) this.#takeCapabilities(connection.capabilities);
    this.#traffic.pump();
    this.#traffic.closeDone();
  }

  onAnswer(connection: PooledAgentConnection, correlationId: string, answer: Result<AgentAnswer, string>): void {
    this.#traffic.onAnswer(connection, correlationId, answer);
  }

  onHealth(connection: PooledAgentConnection, health: AgentHealth): void {
    this.#log.health(health.state, health.message);
    this.#traffic.closeDone();
    // The draining connection stays for requests that the agent knows. New requests use another one.
    if (health.state === 'draining' && connection.isReady) this.#pool.setAside(connection);
    if (!connection.takesCalls) this.#failStranded();
    this.#traffic.pump();
  }

  onMetrics(connection: PooledAgentConnection, report: MetricsReport): void {
    if (this.#reporters.speaks(connection, report)) this.#reader?.reported(report);
  }

  onFlowControl(connection: PooledAgentConnection, signal: FlowControl): void {
    this.#traffic.onFlowControl(connection, signal);
  }

  onConfigUpdate(connection: PooledAgentConnection, { update }: ConfigUpdateRequest): void {
    if (update.kind === 'request_reload') this.#handover.onReloadRequest(connection);
    else if (update.kind === 'config_error') this.#handover.onConfigError(update.error, update.field);
    else this.#lines.note(update);
  }

  onLogLine(line: AgentLogLine): void {
    this.#lines.write(line);
  }

  onUnreadableReport(problem: string): void {
    this.#log.unreadableReport(problem);
  }

  onRoom(): void {
    this.#traffic.pump();
  }

  onEnd(connection: PooledAgentConnection, end: ConnectionEnd): void {
    if (end.kind === 'malformed') this.#log.malformed(end);
    this.#pool.onEnd(connection, end);
    this.#reporters.ended(connection);
    this.#endReportsOf(connection.capabilities?.agentId);
    this.#traffic.onEnd(connection, end);
    this.#handover.onEnd(end, connection);
    if (!this.#isStopping) this.#onLoss(end);
  }

  #takeCapabilities(offered: AgentCapabilities): void {
    const { accepted, dropped } = sortOwnedHeaders(offered.ownedHeaders);
    this.#capabilities = { ...offered, ownedHeaders: accepted };
    this.#onCapabilities?.();
    this.#log.up(offered);
    if (dropped.length > 0) this.#log.droppedOwnedHeaders(dropped);
  }

  /** Ends the reports of an agent id when its last connection ends. */
  #endReportsOf(agentId: string | undefined): void {
    if (agentId === undefined || this.#isSucceeded) return;
    if (!this.#pool.ready().some(({ capabilities }) => capabilities?.agentId === agentId)) this.#reader?.ended(agentId);
  }

  #isTryingFirst(): boolean {
    return this.#isAwaitingFirst && this.#pool.isTrying;
  }

  /** Whether a connection may be ready soon, so that calls wait for it. */
  #isExpecting(): boolean {
    return this.#isTryingFirst() || this.#pool.isReplacing || this.#pool.isComingBack;
  }

  /** The reason why no connection accepts a new call. */
  #absence(): AgentFailure {
    const ready = this.#pool.ready();
    if (ready.some(({ state }) => state === 'unhealthy')) {
      return { code: 'unhealthy', detail: 'the agent reports that it cannot decide' };
    }
    if (ready.length > 0) return { code: 'unreachable', detail: 'the agent is draining' };
    if (this.#log.refusal !== null)
      return { code: 'refused', detail: 'the agent refused the handshake, or the gateway refused the agent' };
    return { code: 'unreachable', detail: 'there is no connection to the agent' };
  }

  /** Fails the queued calls if no connection accepts calls and none is expected soon. */
  #failStranded(detail?: string): void {
    if (this.#isExpecting() || this.#pool.choose() !== null) return;
    const absence = this.#absence();
    this.#traffic.failWaiting({ ...absence, detail: detail ?? absence.detail });
  }

  #onLoss(end: ConnectionEnd): void {
    // Another attempt may still succeed.
    if (this.#isExpecting()) return;
    if (this.#pool.ready().length === 0 && !this.#isRetired) this.#log.down(end);
    this.#failStranded(this.#pool.ready().length === 0 ? end.detail : undefined);
  }
}
