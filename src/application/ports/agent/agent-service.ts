import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { MaybePromise } from '../shared/maybe-promise.js';

/** Who hands over a configuration. */
export interface ConfigurationGiver {
  readonly proxyId: string;
  readonly proxyVersion: string;
  /** The connection it came by: the giver counts as connected until the last of its connections is `disconnected`. */
  readonly connection: symbol;
}

/**
 * `handshake`: what a connection begins with, which may have been decided some time ago. `change`: asked for on a
 * connection that stands, and newer than whatever that gateway gave before.
 */
export type ConfigurationOccasion = 'handshake' | 'change';

/**
 * An agent, as the transports see it: the socket server and the embedded client call the same one.
 * A connection has its own set of correlation ids, so every call names the connection it came by.
 */
export interface AgentService {
  capabilities(): AgentCapabilities;

  /**
   * Checks the whole configuration, then takes it. An error is the reason for refusing it, fit to be shown; what was in
   * force stays. Null: the gateway has none to give. An equal configuration that comes as a `change` has the agent read its
   * files again, once for each `version`; without a version, each time.
   */
  configure(
    config: JsonObject | null,
    giver: ConfigurationGiver,
    occasion: ConfigurationOccasion,
    version?: string | null,
  ): Promise<Result<void, string>>;

  /** Never rejects: what cannot be decided is refused by the service itself. */
  judge(event: AgentEvent, connection: symbol): MaybePromise<AgentAnswer>;

  /** Forgets what is held for a request: a judgement that waits for something ends at once, and its answer is not used. */
  cancel(correlationId: string, reason: CancelReason, connection: symbol): void;

  /** Forgets what is held for a connection that has ended, and for every request of it. Nothing comes by it any more. */
  disconnected(connection: symbol): void;

  /** Ends what it does on its own: nobody asks it any more. Resolves once all that it keeps is written; never rejects. */
  stop(): Promise<void>;

  health(): AgentHealth;
  metrics(): MetricsReport;
  /** Calls back on each change of state; the result ends that. */
  onHealthChange(listener: (health: AgentHealth) => void): () => void;
}
