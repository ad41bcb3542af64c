import type { Stored } from '../../../application/ports/agent/session-store.js';
import { err, ok } from '../../../domain/shared/result.js';
import type { RedisScript } from '../../redis/redis-connection.js';
import { formRecords, type HandleRecords, requestRecords } from './handle-records.js';
import { foreignContent, keyspaceScript, type SessionKeyspace, timeToLive } from './session-keyspace.js';

/*
 * NAME                         hash: the records
 * NAME:created, NAME:expires   sorted sets of their hashes
 */

const drop = (name: string): string => `
local function drop(id)
  redis.call('ZREM', p .. '${name}:created', id)
  redis.call('ZREM', p .. '${name}:expires', id)
  return redis.call('HDEL', p .. '${name}', id)
end
`;

/**
 * Takes hash, record, created, expires, time to live, maximum entries. Returns 0 if the hash exists, else 1.
 */
const keepScript = (name: string): RedisScript =>
  keyspaceScript(`${drop(name)}
if redis.call('HSETNX', p .. '${name}', ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('ZADD', p .. '${name}:created', ARGV[3], ARGV[1])
redis.call('ZADD', p .. '${name}:expires', ARGV[4], ARGV[1])
for _, key in ipairs({ '${name}', '${name}:created', '${name}:expires' }) do hold(p .. key, ARGV[5]) end
local surplus = redis.call('ZCARD', p .. '${name}:created') - ARGV[6]
if surplus > 0 then
  for _, id in ipairs(redis.call('ZRANGE', p .. '${name}:created', 0, surplus - 1)) do drop(id) end
end
return 1
`);

/** Takes a hash. Returns its record. */
const findScript = (name: string): RedisScript => keyspaceScript(`return redis.call('HGET', p .. '${name}', ARGV[1])`);

/** Takes a hash. Removes its record and returns it. */
const takeScript = (name: string): RedisScript =>
  keyspaceScript(`${drop(name)}
local record = redis.call('HGET', p .. '${name}', ARGV[1])
drop(ARGV[1])
return record
`);

/** Takes now, limit. Returns the number of removed entries. */
const expireScript = (name: string): RedisScript =>
  keyspaceScript(`${drop(name)}
local ids = redis.call('ZRANGEBYSCORE', p .. '${name}:expires', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do drop(id) end
return #ids
`);

/** How entries of one kind are stored: their scripts and their records. */
interface HandleKind<Entry> {
  readonly keep: RedisScript;
  readonly find: RedisScript;
  readonly take: RedisScript;
  readonly expire: RedisScript;
  readonly records: HandleRecords<Entry>;
}

const kindOf = <Entry>(name: string, records: HandleRecords<Entry>): HandleKind<Entry> => ({
  keep: keepScript(name),
  find: findScript(name),
  take: takeScript(name),
  expire: expireScript(name),
  records,
});

export const requestsInRedis = kindOf('requests', requestRecords);
export const formsInRedis = kindOf('forms', formRecords);

/** An entry that its holder finds by a handle. */
interface HandleEntry {
  readonly handleHash: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}

/** Entries by the hash of their handle, in Redis because another process may look for them. */
export class RedisHandleStore<Entry extends HandleEntry> {
  readonly #keyspace: SessionKeyspace;
  readonly #kind: HandleKind<Entry>;
  readonly #limit: number;

  /** @param limit maximum entries; the oldest are evicted */
  constructor(keyspace: SessionKeyspace, kind: HandleKind<Entry>, limit: number) {
    this.#keyspace = keyspace;
    this.#kind = kind;
    this.#limit = limit;
  }

  async insert(entry: Entry): Stored<void> {
    const { handleHash, createdMs, expiresMs } = entry;
    const kept = await this.#keyspace.runForNumber(this.#kind.keep, [
      handleHash,
      this.#kind.records.write(entry),
      String(createdMs),
      String(expiresMs),
      timeToLive(createdMs, expiresMs),
      String(this.#limit),
    ]);
    if (!kept.ok) return kept;
    return kept.value === 1 ? ok(undefined) : err({ reason: 'an entry with this handle already exists' });
  }

  find(handleHash: string, nowMs: number): Stored<Entry | null> {
    return this.#ask(this.#kind.find, handleHash, nowMs);
  }

  take(handleHash: string, nowMs: number): Stored<Entry | null> {
    return this.#ask(this.#kind.take, handleHash, nowMs);
  }

  removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#keyspace.runForNumber(this.#kind.expire, [String(nowMs), String(limit)]);
  }

  async #ask(script: RedisScript, handleHash: string, nowMs: number): Stored<Entry | null> {
    const answer = await this.#keyspace.run(script, [handleHash]);
    if (!answer.ok) return answer;
    if (answer.value === null) return ok(null);
    const entry = typeof answer.value === 'string' ? this.#kind.records.read(handleHash, answer.value) : null;
    if (entry === null) return foreignContent;
    return ok(entry.expiresMs <= nowMs ? null : entry);
  }
}
