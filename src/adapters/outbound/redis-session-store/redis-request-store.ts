import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../../application/ports/agent/sign-on-request-store.js';
import type { SignOnRequest } from '../../../domain/agent/sign-on/sign-on-request.js';
import { err, ok } from '../../../domain/shared/result.js';
import type { RedisScript } from '../../redis/redis-connection.js';
import { foreignContent, keyspaceScript, type SessionKeyspace, timeToLive } from './session-keyspace.js';
import { isRecord, parsedJson } from './session-record.js';

/** A request as Redis stores it, without the hash that is its key. Version 1. */
interface RequestRecord {
  readonly v: 1;
  readonly kind: SignOnRequest['kind'];
  readonly request: string;
  readonly binding: string | null;
  readonly returnTo: string;
  readonly created: number;
  readonly expires: number;
}

const isRequestRecord = (value: unknown): value is RequestRecord =>
  isRecord(value) &&
  value['v'] === 1 &&
  (value['kind'] === 'sign_on' || value['kind'] === 'sign_out' || value['kind'] === 'answered') &&
  typeof value['request'] === 'string' &&
  (value['binding'] === null || typeof value['binding'] === 'string') &&
  typeof value['returnTo'] === 'string' &&
  Number.isSafeInteger(value['created']) &&
  Number.isSafeInteger(value['expires']);

const writeRequestRecord = (request: SignOnRequest): string => {
  const record: RequestRecord = {
    v: 1,
    kind: request.kind,
    request: request.requestId,
    binding: request.bindingHash,
    returnTo: request.returnTo,
    created: request.createdMs,
    expires: request.expiresMs,
  };
  return JSON.stringify(record);
};

/** Null: the text is not a valid record. */
const readRequestRecord = (handleHash: string, text: string): SignOnRequest | null => {
  const record = parsedJson(text);
  if (!isRequestRecord(record)) return null;
  return {
    handleHash,
    kind: record.kind,
    requestId: record.request,
    bindingHash: record.binding,
    returnTo: record.returnTo,
    createdMs: record.created,
    expiresMs: record.expires,
  };
};

/*
 * requests                             hash: the records
 * requests:created, requests:expires   sorted sets of their hashes
 */

const drop = `
local function drop(id)
  redis.call('ZREM', p .. 'requests:created', id)
  redis.call('ZREM', p .. 'requests:expires', id)
  return redis.call('HDEL', p .. 'requests', id)
end
`;

/**
 * Takes hash, record, created, expires, time to live, the most requests. Returns 0 for a hash that
 * is there, else 1.
 */
const keepRequestScript = keyspaceScript(`${drop}
if redis.call('HSETNX', p .. 'requests', ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('ZADD', p .. 'requests:created', ARGV[3], ARGV[1])
redis.call('ZADD', p .. 'requests:expires', ARGV[4], ARGV[1])
for _, key in ipairs({ 'requests', 'requests:created', 'requests:expires' }) do hold(p .. key, ARGV[5]) end
local surplus = redis.call('ZCARD', p .. 'requests:created') - ARGV[6]
if surplus > 0 then
  for _, id in ipairs(redis.call('ZRANGE', p .. 'requests:created', 0, surplus - 1)) do drop(id) end
end
return 1
`);

/** Takes a hash. Returns its record. */
const findRequestScript = keyspaceScript("return redis.call('HGET', p .. 'requests', ARGV[1])");

/** Takes a hash. Removes its record and returns it. */
const takeRequestScript = keyspaceScript(`${drop}
local record = redis.call('HGET', p .. 'requests', ARGV[1])
drop(ARGV[1])
return record
`);

/** Takes now, limit. Returns the number of removed requests. */
const expireRequestsScript = keyspaceScript(`${drop}
local ids = redis.call('ZRANGEBYSCORE', p .. 'requests:expires', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do drop(id) end
return #ids
`);

/**
 * Requests to the identity provider, in Redis because the answer may reach another process than the
 * one that asked.
 */
export class RedisSignOnRequestStore implements SignOnRequestStore {
  readonly #keyspace: SessionKeyspace;
  readonly #maxRequests: number;

  /** @param maxRequests 1 000 requests with the longest paths take 5 MiB of memory */
  constructor(keyspace: SessionKeyspace, maxRequests: number) {
    this.#keyspace = keyspace;
    this.#maxRequests = maxRequests;
  }

  async insert(request: SignOnRequest): Stored<void> {
    const { handleHash, createdMs, expiresMs } = request;
    const kept = await this.#keyspace.runForNumber(keepRequestScript, [
      handleHash,
      writeRequestRecord(request),
      String(createdMs),
      String(expiresMs),
      timeToLive(createdMs, expiresMs),
      String(this.#maxRequests),
    ]);
    if (!kept.ok) return kept;
    return kept.value === 1 ? ok(undefined) : err({ reason: 'a request with this handle already exists' });
  }

  find(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    return this.#ask(findRequestScript, handleHash, nowMs);
  }

  take(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    return this.#ask(takeRequestScript, handleHash, nowMs);
  }

  removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#keyspace.runForNumber(expireRequestsScript, [String(nowMs), String(limit)]);
  }

  async #ask(script: RedisScript, handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    const answer = await this.#keyspace.run(script, [handleHash]);
    if (!answer.ok) return answer;
    if (answer.value === null) return ok(null);
    const request = typeof answer.value === 'string' ? readRequestRecord(handleHash, answer.value) : null;
    if (request === null) return foreignContent;
    return ok(request.expiresMs <= nowMs ? null : request);
  }
}
