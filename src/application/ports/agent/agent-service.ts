import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { MaybePromise } from '../shared/maybe-promise.js';
import type { SessionAdministration } from '../shared/session-administration.js';

/** The gateway that sends a configuration. */
export interface ConfigurationGiver {
  readonly proxyId: string;
  readonly proxyVersion: string;
  /**
   * The connection that carried it. The gateway is connected until its last connection is
   * `disconnected`.
   */
  readonly connection: symbol;
}

/**
 * `handshake`: part of connecting, and possibly outdated. `change`: sent over an open connection,
 * and newer than everything this gateway sent before.
 */
export type ConfigurationOccasion = 'handshake' | 'change';

/**
 * An agent, as its transports see it. The socket server and the embedded client call the same
 * interface. Correlation ids are unique per connection, so every call names its connection.
 */
export interface AgentService {
  capabilities(): AgentCapabilities;

  /**
   * Checks a whole configuration and applies it. Null: the gateway has none to send.
   * On an error, the previous configuration stays in force; the error text is safe to show. An
   * equal configuration that arrives as a `change` makes the agent read its files again: once per
   * `version`, or every time without a version.
   */
  configure(
    config: JsonObject | null,
    giver: ConfigurationGiver,
    occasion: ConfigurationOccasion,
    version?: string | null,
  ): Promise<Result<void, string>>;

  /** Decides an event. Never rejects: the service itself refuses what it cannot decide. */
  decide(event: AgentEvent, connection: symbol): MaybePromise<AgentAnswer>;

  /**
   * Discards the state of a request. A pending decision ends at once, and its result is not used.
   */
  cancel(correlationId: string, reason: CancelReason, connection: symbol): void;

  /** Discards the state of a closed connection and of all its requests. */
  disconnected(connection: symbol): void;

  /** Stops background work. Resolves after all pending writes. Never rejects. */
  stop(): Promise<void>;

  health(): AgentHealth;
  metrics(): MetricsReport;
  /** The sessions of the configuration in force; null or absent: there are none. */
  sessions?(): SessionAdministration | null;
  /** Calls the listener on each change of state. The result unsubscribes it. */
  onHealthChange(listener: (health: AgentHealth) => void): () => void;
}
