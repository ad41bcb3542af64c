import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** Requests of one agent that are remembered until they are over, at the most; far more than a gateway has at a time. */
const maximumFollowed = 65_536;

/**
 * The requests that an agent has answered about and that are not over, by the connection that their heads went by: it may
 * yet be asked about their responses, and told of their end, so that a connection that drains is kept for them.
 */
export class AgentStreamRequests {
  readonly #homes = new TransientMap<PooledAgentConnection>();

  /** Null where the request is not followed. */
  homeOf(correlationId: string): PooledAgentConnection | null {
    return this.#homes.size === 0 ? null : (this.#homes.get(correlationId) ?? null);
  }

  add(correlationId: string, home: PooledAgentConnection): void {
    this.delete(correlationId);
    this.#homes.set(correlationId, home);
    home.followed += 1;
    if (this.#homes.size <= maximumFollowed) return;
    const eldest = this.#homes.firstKey;
    if (eldest !== null) this.delete(eldest);
  }

  /** The request is over. Gives the connection that it was followed on; null where it was on none. */
  delete(correlationId: string): PooledAgentConnection | null {
    const home = this.homeOf(correlationId);
    if (home === null) return null;
    this.#homes.delete(correlationId);
    home.followed -= 1;
    return home;
  }

  /** Nothing goes by the connection any more. */
  ended(connection: PooledAgentConnection): void {
    if (connection.followed === 0) return;
    for (const correlationId of this.#homes.keys()) {
      if (this.#homes.get(correlationId) === connection) this.delete(correlationId);
    }
  }
}
