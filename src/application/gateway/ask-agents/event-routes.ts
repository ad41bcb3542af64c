import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { ConnectionPool } from './connection-pool.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** The most open requests of one agent that are tracked; far more than a gateway has at a time. */
const maximumFollowed = 65_536;

/**
 * The open requests about whose heads an agent was asked, with the connection that carried the head. The agent may
 * still get their responses and their ends, so a draining connection stays open for them.
 */
class AgentStreamRequests {
  readonly #homes = new TransientMap<PooledAgentConnection>();

  /** Null: the request is not tracked. */
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

  /** Removes a request that has ended. Returns its connection; null: it was not tracked. */
  delete(correlationId: string): PooledAgentConnection | null {
    const home = this.homeOf(correlationId);
    if (home === null) return null;
    this.#homes.delete(correlationId);
    home.followed -= 1;
    return home;
  }

  /** Removes the requests of a connection that has ended. */
  ended(connection: PooledAgentConnection): void {
    if (connection.followed === 0) return;
    for (const correlationId of this.#homes.keys()) {
      if (this.#homes.get(correlationId) === connection) this.delete(correlationId);
    }
  }
}

/** The most late answers that are expected at a time. */
export const maximumLate = 4_096;

/**
 * The abandoned calls, by the ids of open requests. The answer may still arrive on the connection of the call, and must
 * not be mistaken for the answer to a later event of the request.
 */
class LateAnswers {
  readonly #late = new Map<string, Set<PooledAgentConnection>>();

  /** Expects a late answer. Returns a connection that must be closed to make room; null: there is room. */
  expect(correlationId: string, connection: PooledAgentConnection): PooledAgentConnection | null {
    const connections = this.#late.get(correlationId);
    if (connections === undefined) this.#late.set(correlationId, new Set([connection]));
    else connections.add(connection);
    if (this.#late.size <= maximumLate) return null;
    for (const [eldest] of this.#late.values()) return eldest ?? null;
    return null;
  }

  /** Whether an answer on this connection could belong to an earlier event. */
  isExpected(correlationId: string, connection: PooledAgentConnection): boolean {
    return this.#late.size > 0 && this.#late.get(correlationId)?.has(connection) === true;
  }

  /** Handles a late answer. */
  take(correlationId: string, connection: PooledAgentConnection): void {
    const connections = this.#late.get(correlationId);
    if (connections?.delete(connection) && connections.size === 0) this.#late.delete(correlationId);
  }

  /** Forgets a request about which no more events follow. */
  forget(correlationId: string): void {
    if (this.#late.size > 0) this.#late.delete(correlationId);
  }

  /** Forgets a connection that has ended. */
  ended(connection: PooledAgentConnection): void {
    for (const correlationId of this.#late.keys()) this.take(correlationId, connection);
  }
}

/** Whether an event follows the request head. Body chunks are excluded: they use the connection of their dialogue. */
const isLaterEvent = ({ kind }: AgentEvent): boolean => kind === 'response_headers' || kind === 'request_complete';

/** Chooses the connection for each event, from the open requests and the late answers. */
export class EventRoutes {
  readonly #pool: ConnectionPool;
  readonly #late = new LateAnswers();
  readonly #followed = new AgentStreamRequests();

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /**
   * The connection for an event outside a dialogue; null: none. `best` is the connection for new calls. If there is no
   * other, a later event may use a draining connection, preferably the one that carried the head: the agent accepts no
   * new requests there, but knows this one.
   */
  choose(event: AgentEvent, best: PooledAgentConnection | null): PooledAgentConnection | null {
    if (best !== null && !this.#isLate(event, best)) return best;
    const isApart = (connection: PooledAgentConnection): boolean => !this.#isLate(event, connection);
    const other = best && this.#pool.choose((connection) => connection.takesCalls && isApart(connection));
    if (other !== null || !isLaterEvent(event)) return other;
    const home = this.#followed.homeOf(event.correlationId);
    if (home?.takesRest && isApart(home)) return home;
    return this.#pool.choose((connection) => connection.takesRest && isApart(connection));
  }

  /** Tracks a request after an answer about its head. */
  answered({ kind, correlationId }: AgentEvent, connection: PooledAgentConnection): void {
    if (kind === 'request_headers' && connection.hearsRest) this.#followed.add(correlationId, connection);
  }

  /** Handles a late answer. */
  answeredLate(correlationId: string, connection: PooledAgentConnection): void {
    this.#late.take(correlationId, connection);
  }

  /** Expects the late answer of an abandoned call. Returns a connection that must be closed for that; null: none. */
  abandoned({ kind, correlationId }: AgentEvent, connection: PooledAgentConnection): PooledAgentConnection | null {
    // No event follows the end of a request, so its answer cannot be mistaken.
    return kind === 'request_complete' ? null : this.#late.expect(correlationId, connection);
  }

  /** Forgets a request that has ended. Returns the connection that was kept for it; null: none. */
  conclude(correlationId: string): PooledAgentConnection | null {
    this.#late.forget(correlationId);
    return this.#followed.delete(correlationId);
  }

  /** Forgets a connection that has ended. */
  ended(connection: PooledAgentConnection): void {
    this.#late.ended(connection);
    this.#followed.ended(connection);
  }

  /**
   * Whether a late answer could be mistaken for the answer to this event. The answer to a request's end has no effect.
   */
  #isLate({ kind, correlationId }: AgentEvent, connection: PooledAgentConnection): boolean {
    return kind !== 'request_complete' && this.#late.isExpected(correlationId, connection);
  }
}
