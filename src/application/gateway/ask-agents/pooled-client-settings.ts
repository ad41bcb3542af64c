import { defaultReconnectBackoff, type ReconnectBackoff } from '../../../domain/agent-protocol/reconnect-backoff.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Permits } from '../../ports/gateway/permits.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/** What a PooledAgentClient has to be told. */
export interface PooledAgentClientSettings {
  /** The agent's name in the gateway's configuration. */
  readonly name: string;
  /** For a call, the wait for a free place included; milliseconds. */
  readonly timeoutMs: number;
  /** Calls that may wait for a free place. */
  readonly maxQueueDepth: number;
  /**
   * As many permits, where the calls of other workers count as well; closed with the client. Without, it counts its
   * own.
   */
  readonly queue?: Permits | null;
  /** Handed over in the handshake. */
  readonly config: JsonObject | null;
  /** How many are held open at a time; at least 1. */
  readonly connections: number;
}

/** What it works with. */
export interface PooledAgentClientParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
}

/** What has a value that fits most. Times in milliseconds. */
export interface PooledAgentClientOptions {
  readonly backoff: ReconnectBackoff;
  /** A connection that held so long makes the next wait short again. */
  readonly steadyAfterMs: number;
  /**
   * How long a connection may finish what it has before it is made anew, for an agent that takes no configuration
   * over one that stands.
   */
  readonly replaceTimeoutMs: number;
  /** Between two times that an agent is handed its configuration because it asked for it. */
  readonly reloadIntervalMs: number;
}

export const defaultPooledAgentClientOptions: PooledAgentClientOptions = {
  backoff: defaultReconnectBackoff,
  steadyAfterMs: 10_000,
  replaceTimeoutMs: 30_000,
  reloadIntervalMs: 5_000,
};
