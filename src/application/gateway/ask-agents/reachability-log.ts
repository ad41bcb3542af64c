import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentState } from '../../../domain/agent-protocol/health.js';
import type { ConnectionEnd } from '../../ports/gateway/agent-connector.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { agentTextLimits, shortened } from './agent-lines.js';

/** Minimum interval between lines about the agent's reported state; milliseconds. */
const healthQuietMs = 1_000;

/** Minimum interval between lines about unreadable data; milliseconds. */
const malformedQuietMs = 60_000;

/** Logs when an agent connects, disconnects, refuses or changes its state, not for each attempt. */
export class ReachabilityLog {
  readonly #agent: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #state: 'starting' | 'up' | 'down' | 'refused' = 'starting';
  #refusal: string | null = null;
  #health: AgentState = 'healthy';
  #healthLoggedMs = Number.NEGATIVE_INFINITY;
  #malformedLoggedMs = Number.NEGATIVE_INFINITY;
  /** Connections that were closed because of unreadable data since the last line. */
  #malformedSince = 0;
  #hasUnreadableReports = false;
  #hasDroppedHeaders = false;

  constructor(agent: string, clock: Clock, logger: Logger) {
    this.#agent = agent;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The reason why the last handshake was refused, by the agent or the gateway; null: it was not. */
  get refusal(): string | null {
    return this.#refusal;
  }

  up(capabilities: AgentCapabilities): void {
    if (this.#state === 'up') return;
    this.#state = 'up';
    this.#refusal = null;
    this.#hasUnreadableReports = false;
    this.#logger.info('Agent connected', {
      agent: this.#agent,
      agent_id: capabilities.agentId.slice(0, agentTextLimits.id),
      version: capabilities.version.slice(0, agentTextLimits.id),
    });
  }

  /** The last connection has ended, or an attempt without a connection has failed. */
  down(end: ConnectionEnd): void {
    const reason = shortened(end.detail);
    const fields = { agent: this.#agent, reason };
    this.#refusal = end.kind === 'refused' ? reason : null;
    if (end.kind === 'refused') {
      if (this.#state !== 'refused') this.#logger.error('Agent refused', fields);
      this.#state = 'refused';
    } else {
      if (this.#state !== 'down') this.#logger.warn('Agent unreachable', fields);
      this.#state = 'down';
    }
  }

  /** Logs a connection that was closed because of unreadable data, at most once per interval, with a count. */
  malformed(end: ConnectionEnd): void {
    this.#malformedSince += 1;
    const now = this.#clock.monotonicMs();
    if (now - this.#malformedLoggedMs < malformedQuietMs) return;
    this.#logger.error('Agent sent unreadable data', {
      agent: this.#agent,
      reason: end.detail,
      connections: this.#malformedSince,
    });
    this.#malformedLoggedMs = now;
    this.#malformedSince = 0;
  }

  /** The agent keeps its previous configuration. */
  refusesConfiguration(reason: string): void {
    this.#logger.error('Agent refuses its configuration', { agent: this.#agent, reason });
  }

  health(state: AgentState, message: string | null): void {
    const now = this.#clock.monotonicMs();
    if (state === this.#health || now - this.#healthLoggedMs < healthQuietMs) return;
    this.#health = state;
    this.#healthLoggedMs = now;
    const write = state === 'healthy' ? 'info' : 'warn';
    this.#logger[write]('Agent reports its state', {
      agent: this.#agent,
      state,
      reason: message && shortened(message),
    });
  }

  /** Logs dropped header names once, because the allowed names do not change between connections. */
  droppedOwnedHeaders(names: readonly string[]): void {
    if (this.#hasDroppedHeaders) return;
    this.#hasDroppedHeaders = true;
    this.#logger.warn('Agent declares headers that no agent can own; the gateway ignores these names', {
      agent: this.#agent,
      headers: names.slice(0, 10).map((name) => name.slice(0, 100)),
    });
  }

  unreadableReport(problem: string): void {
    if (this.#hasUnreadableReports) return;
    this.#hasUnreadableReports = true;
    this.#logger.warn('Agent sent an unreadable report', { agent: this.#agent, reason: problem });
  }
}
