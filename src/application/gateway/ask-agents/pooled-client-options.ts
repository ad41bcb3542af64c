import { defaultReconnectBackoff, type ReconnectBackoff } from '../../../domain/agent-protocol/reconnect-backoff.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Permits } from '../../ports/gateway/permits.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { SessionAdministration } from '../../ports/shared/session-administration.js';

/** The settings of one PooledAgentClient. */
export interface PooledAgentClientConfiguration {
  /** The agent's name in the gateway's configuration. */
  readonly name: string;
  /** Timeout of a call, including its time in the queue; milliseconds. */
  readonly timeoutMs: number;
  /** Calls that may queue. */
  readonly maxQueueDepth: number;
  /**
   * The permits of the queue if it is shared with other workers; the client closes them. Absent or null: the queue is
   * this client's own.
   */
  readonly queue?: Permits | null;
  /** The configuration for the handshake. */
  readonly config: JsonObject | null;
  /** Number of connections that are kept open; at least 1. */
  readonly connections: number;
  /** The sessions at the admin endpoints of the agent; absent or null: the configuration names none. */
  readonly sessions?: SessionAdministration | null;
}

/** The clock, timers, random numbers and log of a PooledAgentClient. */
export interface PooledAgentClientEnvironment {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
}

/** Options with defaults. Times in milliseconds. */
export interface PooledAgentClientOptions {
  readonly backoff: ReconnectBackoff;
  /** A connection that lasts this long resets the backoff. */
  readonly steadyAfterMs: number;
  /**
   * How long a connection may finish its calls before it is replaced, if the agent accepts no configuration on an open
   * connection.
   */
  readonly replaceTimeoutMs: number;
  /** Minimum interval between deliveries of the configuration that the agent asks for. */
  readonly reloadIntervalMs: number;
}

export const defaultPooledAgentClientOptions: PooledAgentClientOptions = {
  backoff: defaultReconnectBackoff,
  steadyAfterMs: 10_000,
  replaceTimeoutMs: 30_000,
  reloadIntervalMs: 5_000,
};
