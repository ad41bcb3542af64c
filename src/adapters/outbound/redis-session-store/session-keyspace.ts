import { createHash } from 'node:crypto';
import type { Stored, StoreFailure } from '../../../application/ports/agent/session-store.js';
import type { SignOnMethod } from '../../../domain/agent/sessions/session.js';
import { type Err, err, ok, type Result } from '../../../domain/shared/result.js';
import { type RedisAnswer, type RedisConnection, type RedisScript, redisScript } from '../../redis/redis-connection.js';
import type { RedisFailure } from '../../redis/redis-failure.js';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** 128 bits: long enough to avoid collisions, short enough to store a million times. */
const shortDigest = (...parts: readonly string[]): string => digest(JSON.stringify(parts)).slice(0, 32);

/** Earlier releases have only sessions of SAML, and digests without the method. */
const ofMethod = (method: SignOnMethod): readonly string[] => (method === 'saml' ? [] : [method]);

/**
 * Keys of indexes, without the prefix. They are digests because names can be long, not because they
 * are secret.
 */
export const userKey = (userId: string): string => `user:${shortDigest(userId)}`;
export const subjectKey = (method: SignOnMethod, provider: string, subject: string): string =>
  `subject:${shortDigest(...ofMethod(method), provider, subject)}`;
export const subjectIndexKey = (method: SignOnMethod, provider: string, subject: string, session: string): string =>
  `index:${shortDigest(...ofMethod(method), provider, subject, session)}`;
/** An OpenID provider names each of its sessions. */
export const providerSessionKey = (provider: string, session: string): string =>
  `named:${shortDigest(provider, session)}`;

/**
 * The shortest life of a key, in milliseconds, as Redis takes it: one hour more than its content,
 * for clocks that differ.
 */
export const timeToLive = (fromMs: number, untilMs: number): string =>
  String(Math.max(0, Math.ceil(untilMs - fromMs)) + 3_600_000);

/**
 * A script with the common beginning. KEYS[1] is the prefix of all keys, so that no script touches
 * the keys of another service provider. `hold` prolongs a key while anything in it lives; Redis
 * removes the key when no agent uses it any more.
 */
export const keyspaceScript = (body: string): RedisScript =>
  redisScript(`local p = KEYS[1]
local function hold(key, ttl)
  if redis.call('PTTL', key) < tonumber(ttl) then redis.call('PEXPIRE', key, ttl) end
end
${body}`);

/** A key in the namespace has an unexpected value. */
export const foreignContent: Err<StoreFailure> = err({
  reason: 'redis has unexpected values under the session keys',
});

const storeFailure = ({ kind, reason }: RedisFailure): StoreFailure => {
  switch (kind) {
    case 'closed':
      return { reason: 'the connection to redis is closed' };
    case 'unreachable':
      return { reason: `redis cannot be reached: ${reason}` };
    case 'unusable':
      return { reason: `redis cannot be used: ${reason}` };
    case 'lost':
      return { reason: 'redis cannot be reached' };
    case 'overloaded':
    case 'late':
      return { reason: reason.replace(/^it /, 'redis ') };
    case 'failed':
      return { reason: `redis failed: ${reason}` };
  }
};

const stored = (answer: RedisAnswer): Result<unknown, StoreFailure> =>
  answer.ok ? answer : err(storeFailure(answer.error));

const numberOf = (answer: RedisAnswer): Result<number, StoreFailure> => {
  if (!answer.ok) return err(storeFailure(answer.error));
  return typeof answer.value === 'number' ? ok(answer.value) : foreignContent;
};

/** The keys of one service provider in Redis. */
export class SessionKeyspace {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  /** @param namespace the entity id of the service provider */
  constructor(connection: RedisConnection, namespace: string) {
    this.#connection = connection;
    // The braces put all keys into one hash slot (Redis cluster specification, "Hash tags").
    this.#prefix = `portcullis:saml:{${digest(namespace).slice(0, 16)}}:`;
  }

  async run(script: RedisScript, parameters: readonly string[]): Stored<unknown> {
    return stored(await this.#connection.run(script, [this.#prefix], parameters));
  }

  /** Runs a script that returns a number. */
  async runForNumber(script: RedisScript, parameters: readonly string[]): Stored<number> {
    return numberOf(await this.#connection.run(script, [this.#prefix], parameters));
  }

  /**
   * Moves members of a sorted set up to higher scores. Members that are not in the set stay out.
   */
  async raiseScores(set: string, scoresAndMembers: readonly string[]): Stored<unknown> {
    return stored(await this.#connection.send(['ZADD', `${this.#prefix}${set}`, 'XX', 'GT', ...scoresAndMembers]));
  }

  /** The number of members of a sorted set. */
  async cardinality(set: string): Stored<number> {
    return numberOf(await this.#connection.send(['ZCARD', `${this.#prefix}${set}`]));
  }

  async ping(): Stored<unknown> {
    return stored(await this.#connection.send(['PING']));
  }
}
