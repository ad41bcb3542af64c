import type { ReplayStore } from '../../../application/ports/agent/replay-store.js';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import { ok } from '../../../domain/shared/result.js';
import { numberOf, timeToLive } from './redis-answers.js';
import type { RedisConnection } from './redis-connection.js';
import { forgetScript, rememberScript } from './replay-scripts.js';

/** Remembers in Redis what may be taken once, for every process that has the same entity id. Its bound is the memory that Redis may use. */
export class RedisReplayStore implements ReplayStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async remember(key: string, untilMs: number, nowMs: number): Stored<'first' | 'seen'> {
    const parts = [key, String(untilMs), String(nowMs), timeToLive(nowMs, untilMs)];
    const answer = numberOf(await this.#connection.run(rememberScript, this.#prefix, parts));
    if (!answer.ok) return answer;
    return ok(answer.value === 1 ? 'first' : 'seen');
  }

  async removeExpired(nowMs: number, limit: number): Stored<number> {
    return numberOf(await this.#connection.run(forgetScript, this.#prefix, [String(nowMs), String(limit)]));
  }
}
