import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** Late answers that are waited for at the most. */
export const maximumLate = 4_096;

/**
 * The calls that were given up after they had been sent, by the ids of requests that are not over: the answer may still
 * come by the connection that the call went by, and must not be taken for that to a later event of the request.
 */
export class LateAnswers {
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
