import type {
  RateLimitAnswer,
  RateLimitCharge,
  RateLimitStore,
} from '../../../application/ports/shared/rate-limit-store.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { RedisConnection, type RedisDeadlines } from './redis-connection.js';
import { readRedisPlace } from './redis-place.js';
import { takeScript } from './take-script.js';

export interface RedisRateLimitSettings extends RedisDeadlines {
  /** Buckets of each space, at the most. */
  readonly most: number;
}

const defaultSettings: RedisRateLimitSettings = { most: 100_000, connectMs: 2_000, answerMs: 250 };

const prefix = 'portcullis:rate:';

/** The name of a space as a part of keys: it has no colon, so that no two buckets have one key. */
const keyPart = (space: string): string => space.replaceAll('%', '%25').replaceAll(':', '%3A');

const unavailable = (detail: string): RateLimitAnswer => ({ kind: 'unavailable', detail });

/** Buckets in a Redis server, from 6.2 on: shared by every gateway that uses it, and filled by its clock. */
export class RedisRateLimitStore implements RateLimitStore {
  /** Null: the URL is none. */
  readonly #line: RedisConnection | null;
  readonly #most: string;

  /** Resolves once it was tried to connect; it is tried again by itself. */
  static async open(url: Secret, settings: Partial<RedisRateLimitSettings> = {}): Promise<RedisRateLimitStore> {
    const place = readRedisPlace(url);
    const all = { ...defaultSettings, ...settings };
    const line = place && new RedisConnection(place, takeScript, all);
    await line?.open();
    return new RedisRateLimitStore(line, all.most);
  }

  private constructor(line: RedisConnection | null, most: number) {
    this.#line = line;
    this.#most = String(most);
  }

  async take(charges: readonly RateLimitCharge[]): Promise<RateLimitAnswer> {
    if (this.#line === null) return unavailable('redis: rate-limit-store-url cannot be read');
    const keys: string[] = [];
    const limits: string[] = [];
    for (const { space, key, limit } of charges) {
      const place = `${prefix}${keyPart(space)}`;
      keys.push(`${place}:${key}`, place);
      limits.push(String(limit.requestsPerSecond), String(limit.burst));
    }
    const answer = await this.#line.run([String(keys.length), ...keys, this.#most, ...limits]);
    if (!answer.ok) return unavailable(`redis: ${answer.error}`);
    return readAnswer(answer.value, charges.length) ?? unavailable('redis: its answer cannot be read');
  }

  /** None: they are all in redis. */
  sizes(): Readonly<Record<string, number>> {
    return {};
  }

  async close(): Promise<void> {
    this.#line?.close();
  }
}

const readAnswer = (value: unknown, count: number): RateLimitAnswer | null => {
  if (!Array.isArray(value) || value.length !== count + 2) return null;
  const [refused, waitMs, ...left] = value.map(Number) as [number, number, ...number[]];
  if (!value.every((part) => Number.isFinite(Number(part))) || refused > count) return null;
  return refused === 0 ? { kind: 'taken', left } : { kind: 'refused', refusedBy: refused - 1, waitMs, left };
};
