import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { ConnectionPool } from './connection-pool.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** Requests of one agent that are remembered until they are over, at most; far more than a gateway has at a time. */
const maximumFollowed = 65_536;

/**
 * The requests that an agent has answered about and that are not over, by the connection that their heads went by: it
 * may yet be asked about their responses, and told of their end, so that a connection that drains is kept for them.
 */
class AgentStreamRequests {
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

/** Late answers that are waited for at most. */
export const maximumLate = 4_096;

/**
 * The calls that were given up after they had been sent, by the ids of requests that are not over: the answer may still
 * come by the connection that the call went by, and must not be taken for that to a later event of the request.
 */
class LateAnswers {
  readonly #late = new Map<string, Set<PooledAgentConnection>>();

  /** Gives the connection that has to end, so that what may come by it can be forgotten; null where there is room. */
  expect(correlationId: string, connection: PooledAgentConnection): PooledAgentConnection | null {
    const connections = this.#late.get(correlationId);
    if (connections === undefined) this.#late.set(correlationId, new Set([connection]));
    else connections.add(connection);
    if (this.#late.size <= maximumLate) return null;
    for (const [eldest] of this.#late.values()) return eldest ?? null;
    return null;
  }

  /** Whether an answer by this connection could be that to an earlier event. */
  isExpected(correlationId: string, connection: PooledAgentConnection): boolean {
    return this.#late.size > 0 && this.#late.get(correlationId)?.has(connection) === true;
  }

  /** An answer that nobody waits for has come. */
  take(correlationId: string, connection: PooledAgentConnection): void {
    const connections = this.#late.get(correlationId);
    if (connections?.delete(connection) && connections.size === 0) this.#late.delete(correlationId);
  }

  /** Nothing more is asked about the request. */
  forget(correlationId: string): void {
    if (this.#late.size > 0) this.#late.delete(correlationId);
  }

  /** No answer comes by the connection any more. */
  ended(connection: PooledAgentConnection): void {
    for (const correlationId of this.#late.keys()) this.take(correlationId, connection);
  }
}

/** Whether an event comes after the agent was asked about the request, where it was. Bodies go with their dialogue. */
const isRest = ({ kind }: AgentEvent): boolean => kind === 'response_headers' || kind === 'request_complete';

/** Which connection an event goes by, with what is remembered of the requests that are not over. */
export class EventRoutes {
  readonly #pool: ConnectionPool;
  readonly #late = new LateAnswers();
  readonly #followed = new AgentStreamRequests();

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /**
   * The connection for an event that is part of no dialogue; `best` is the one for new calls. What is left of a
   * request also goes by one that drains, where there is no other: the agent has closed its door, and knows the
   * request; best by the one that its head went by, which the agent keeps for it. Null: none.
   */
  choose(event: AgentEvent, best: PooledAgentConnection | null): PooledAgentConnection | null {
    if (best !== null && !this.#isLate(event, best)) return best;
    const isApart = (connection: PooledAgentConnection): boolean => !this.#isLate(event, connection);
    const other = best && this.#pool.choose((connection) => connection.takesCalls && isApart(connection));
    if (other !== null || !isRest(event)) return other;
    const home = this.#followed.homeOf(event.correlationId);
    if (home?.takesRest && isApart(home)) return home;
    return this.#pool.choose((connection) => connection.takesRest && isApart(connection));
  }

  /** An answer has come by a connection. */
  answered({ kind, correlationId }: AgentEvent, connection: PooledAgentConnection): void {
    if (kind === 'request_headers' && connection.hearsRest) this.#followed.add(correlationId, connection);
  }

  /** An answer that nobody waits for has come. */
  answeredLate(correlationId: string, connection: PooledAgentConnection): void {
    this.#late.take(correlationId, connection);
  }

  /** A call that was sent has been given up. Gives a connection that has to end for that; null where none has to. */
  givenUp({ kind, correlationId }: AgentEvent, connection: PooledAgentConnection): PooledAgentConnection | null {
    // Nothing follows the end of a request that its answer could be taken for.
    return kind === 'request_complete' ? null : this.#late.expect(correlationId, connection);
  }

  /** The request is over. Gives the connection that was kept for it; null where none was. */
  conclude(correlationId: string): PooledAgentConnection | null {
    this.#late.forget(correlationId);
    return this.#followed.delete(correlationId);
  }

  /** Nothing comes by the connection any more. */
  ended(connection: PooledAgentConnection): void {
    this.#late.ended(connection);
    this.#followed.ended(connection);
  }

  /** What a request that is over is answered changes nothing, so that it may be the answer to anything. */
  #isLate({ kind, correlationId }: AgentEvent, connection: PooledAgentConnection): boolean {
    return kind !== 'request_complete' && this.#late.isExpected(correlationId, connection);
  }
}
