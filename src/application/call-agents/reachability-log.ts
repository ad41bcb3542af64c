import type { AgentCapabilities } from '../../domain/agent-protocol/capabilities.js';
import type { AgentState } from '../../domain/agent-protocol/health.js';
import type { ConnectionEnd } from '../ports/agent-connector.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';

/** Between two lines about the state that the agent reports, in milliseconds. */
const healthQuietMs = 1_000;

/** Writes a line when an agent comes, goes, refuses or changes its state: never one for each attempt. */
export class ReachabilityLog {
  readonly #agent: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #state: 'starting' | 'up' | 'down' | 'refused' = 'starting';
  #health: AgentState = 'healthy';
  #healthLoggedMs = Number.NEGATIVE_INFINITY;
  #hasUnreadableReports = false;
  #hasDroppedHeaders = false;

  constructor(agent: string, clock: Clock, logger: Logger) {
    this.#agent = agent;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Whether the last word of the agent was a refusal. */
  get isRefused(): boolean {
    return this.#state === 'refused';
  }

  up(capabilities: AgentCapabilities): void {
    if (this.#state === 'up') return;
    this.#state = 'up';
    this.#hasUnreadableReports = false;
    const { agentId, version } = capabilities;
    this.#logger.info('Agent connected', { agent: this.#agent, agent_id: agentId, version });
  }

  /** The last connection has ended, or an attempt while there was none. */
  down(end: ConnectionEnd): void {
    const fields = { agent: this.#agent, reason: end.detail };
    if (end.kind === 'refused') {
      if (this.#state !== 'refused') this.#logger.error('Agent refused', fields);
      this.#state = 'refused';
    } else {
      if (this.#state !== 'down') this.#logger.warn('Agent unreachable', fields);
      this.#state = 'down';
    }
  }

  /** What came cannot be read, so the connection was closed. */
  malformed(end: ConnectionEnd): void {
    this.#logger.error('Agent sent what cannot be read', { agent: this.#agent, reason: end.detail });
  }

  /** It goes on with the configuration before. */
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
      reason: message?.slice(0, 300) ?? null,
    });
  }

  /** Once: what an agent may own does not change from one connection to the next. */
  droppedOwnedHeaders(names: readonly string[]): void {
    if (this.#hasDroppedHeaders) return;
    this.#hasDroppedHeaders = true;
    this.#logger.warn('Agent claims headers that no agent can own; they stay as they are', {
      agent: this.#agent,
      headers: names.slice(0, 10).map((name) => name.slice(0, 100)),
    });
  }

  unreadableReport(problem: string): void {
    if (this.#hasUnreadableReports) return;
    this.#hasUnreadableReports = true;
    this.#logger.warn('Agent sent a report that cannot be read', { agent: this.#agent, reason: problem });
  }
}
