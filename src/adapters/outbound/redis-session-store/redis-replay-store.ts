import type { ReplayStore } from '../../../application/ports/agent/replay-store.js';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import { ok } from '../../../domain/shared/result.js';
import { keyspaceScript, type SessionKeyspace, timeToLive } from './session-keyspace.js';

/*
 * replays   sorted set: the remembered keys, by the moment when each is forgotten
 */

/** Takes key, now. Returns 1 for a remembered key, else 0. */
const hasScript = keyspaceScript(`
local known = redis.call('ZSCORE', p .. 'replays', ARGV[1])
if known and tonumber(known) > tonumber(ARGV[2]) then return 1 end
return 0
`);

/** Takes key, until, now, time to live. Returns 1 for the first time, else 0. */
const rememberScript = keyspaceScript(`
local known = redis.call('ZSCORE', p .. 'replays', ARGV[1])
if known and tonumber(known) > tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', p .. 'replays', ARGV[2], ARGV[1])
hold(p .. 'replays', ARGV[4])
return 1
`);

/** Takes now, limit. Returns the number of removed keys. */
const forgetScript = keyspaceScript(`
local keys = redis.call('ZRANGEBYSCORE', p .. 'replays', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, key in ipairs(keys) do redis.call('ZREM', p .. 'replays', key) end
return #keys
`);

/**
 * Replay keys in Redis, shared by all processes with the same entity id. Only the memory of Redis
 * bounds their number.
 */
export class RedisReplayStore implements ReplayStore {
  readonly #keyspace: SessionKeyspace;

  constructor(keyspace: SessionKeyspace) {
    this.#keyspace = keyspace;
  }

  async has(key: string, nowMs: number): Stored<boolean> {
    const answer = await this.#keyspace.runForNumber(hasScript, [key, String(nowMs)]);
    return answer.ok ? ok(answer.value === 1) : answer;
  }

  async remember(key: string, untilMs: number, nowMs: number): Stored<'first' | 'seen'> {
    const parameters = [key, String(untilMs), String(nowMs), timeToLive(nowMs, untilMs)];
    const answer = await this.#keyspace.runForNumber(rememberScript, parameters);
    if (!answer.ok) return answer;
    return ok(answer.value === 1 ? 'first' : 'seen');
  }

  removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#keyspace.runForNumber(forgetScript, [String(nowMs), String(limit)]);
  }
}
