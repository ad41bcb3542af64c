import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { AgentStreamRequests } from './agent-stream-requests.js';
import type { ConnectionPool } from './connection-pool.js';
import { LateAnswers } from './late-answers.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

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
   * The connection for an event that is part of no dialogue; `best` is the one for new calls. What is left of a request also
   * goes by one that drains, where there is no other: the agent has closed its door, and knows the request; best by the one
   * that its head went by, which the agent keeps for it. Null: none.
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
