import type {
  RateLimitAnswer,
  RateLimitCharge,
  RateLimitStore,
} from '../../../application/ports/shared/rate-limit-store.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { RedisConnection, redisScript } from '../../redis/redis-connection.js';
import { readRedisEndpoint } from '../../redis/redis-endpoint.js';

export interface RedisRateLimitOptions {
  /** Maximum buckets per space. */
  readonly maxBuckets: number;
  /** Connect timeout, in milliseconds. */
  readonly connectMs: number;
  /** Response timeout, in milliseconds; a request waits for it. */
  readonly answerMs: number;
}

const defaultSettings: RedisRateLimitOptions = { maxBuckets: 100_000, connectMs: 2_000, answerMs: 250 };

const prefix = 'portcullis:rate:';

const purpose = {
  urlKey: 'rate-limit-store-url',
  content: 'rate limits',
  permissions: `run scripts, and read and write keys ${prefix}*`,
};

/*
 * A bucket is the string "<tokens> <milliseconds of Redis's clock>", which expires when the bucket is
 * full. Each space has a sorted set of its bucket keys by last use, which bounds their number.
 *
 * KEYS: for each charge its bucket, then the set of its space. ARGV: the maximum number of buckets per
 * space; then for each charge the rate and the burst. Returns the number of the charge that refused
 * (0: none), the wait in milliseconds, and the tokens left in each bucket. Changes nothing without
 * keys. Fractions are strings, because Redis truncates numbers.
 */
const takeScript = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most = tonumber(ARGV[1] or '')
local buckets, refused, wait = {}, 0, 0
for i = 1, #KEYS / 2 do
  local rate, burst = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local tokens, at = burst, now
  local held = redis.call('GET', KEYS[2 * i - 1])
  local left, since = string.match(held or '', '^([%d.e+-]+) (%d+)$')
  left, since = tonumber(left or ''), tonumber(since or '')
  if left and since then
    -- If the clock was set back, refuse for at most the time to fill an empty bucket.
    since = math.min(since, now + math.ceil(burst * 1000 / rate))
    at = math.max(now, since)
    tokens = math.min(burst, left + (at - since) * rate / 1000)
  end
  if tokens < 1 - 1e-9 then
    local needs = math.ceil((1 - tokens) * 1000 / rate + at - now)
    if needs > wait then refused, wait = i, needs end
  end
  buckets[i] = { tokens = tokens, at = at, rate = rate, burst = burst }
end
local answer = { refused, string.format('%.0f', wait) }
for i, bucket in ipairs(buckets) do
  if refused == 0 then
    local key, set = KEYS[2 * i - 1], KEYS[2 * i]
    bucket.tokens = math.max(0, bucket.tokens - 1)
    local full = math.ceil((bucket.burst - bucket.tokens) * 1000 / bucket.rate + bucket.at - now)
    local ttl = string.format('%.0f', math.max(1, math.min(full, 1e12)))
    redis.call('SET', key, string.format('%.17g %.0f', bucket.tokens, bucket.at), 'PX', ttl)
    for _ = 1, 2 do
      local oldest = redis.call('ZRANGE', set, 0, 0)[1]
      if not oldest or redis.call('EXISTS', oldest) == 1 then break end
      redis.call('ZREM', set, oldest)
    end
    if redis.call('ZCARD', set) >= most and not redis.call('ZSCORE', set, key) then
      redis.call('DEL', redis.call('ZPOPMIN', set)[1])
    end
    redis.call('ZADD', set, string.format('%.0f', now), key)
    if redis.call('PTTL', set) < tonumber(ttl) then redis.call('PEXPIRE', set, ttl) end
  end
  answer[i + 2] = string.format('%.17g', bucket.tokens)
end
return answer
`);

/** Name of a space in keys; without a colon, so that keys never collide. */
const keyPart = (space: string): string => space.replaceAll('%', '%25').replaceAll(':', '%3A');

const unavailable = (detail: string): RateLimitAnswer => ({ kind: 'unavailable', detail });

/**
 * Buckets in Redis 6.2 or later, shared by all gateways of the server; the server's clock refills
 * them.
 */
export class RedisRateLimitStore implements RateLimitStore {
  /** Null if the URL is invalid. */
  readonly #connection: RedisConnection | null;
  readonly #maxBuckets: string;

  /** Resolves after the first connect attempt; a disconnected store keeps trying. */
  static async open(url: Secret, settings: Partial<RedisRateLimitOptions> = {}): Promise<RedisRateLimitStore> {
    const { maxBuckets, connectMs, answerMs } = { ...defaultSettings, ...settings };
    const endpoint = readRedisEndpoint(url, purpose.urlKey);
    if (!endpoint.ok) return new RedisRateLimitStore(null, maxBuckets);
    const connection = new RedisConnection({
      endpoint: endpoint.value,
      purpose,
      connectMs,
      answerMs,
      handshake: async (send) => {
        // The server has cached the script.
        await send(['EVAL', takeScript.source, '0']);
        return null;
      },
    });
    const opened = await connection.open();
    if (!opened.ok) connection.keepTrying();
    return new RedisRateLimitStore(connection, maxBuckets);
  }

  private constructor(connection: RedisConnection | null, maxBuckets: number) {
    this.#connection = connection;
    this.#maxBuckets = String(maxBuckets);
  }

  async take(charges: readonly RateLimitCharge[]): Promise<RateLimitAnswer> {
    if (this.#connection === null) return unavailable('redis: rate-limit-store-url is invalid');
    const keys: string[] = [];
    const limits: string[] = [];
    for (const { space, key, limit } of charges) {
      const set = `${prefix}${keyPart(space)}`;
      keys.push(`${set}:${key}`, set);
      limits.push(String(limit.requestsPerSecond), String(limit.burst));
    }
    const answer = await this.#connection.run(takeScript, keys, [this.#maxBuckets, ...limits]);
    if (!answer.ok) return unavailable(`redis: ${answer.error.reason}`);
    return readAnswer(answer.value, charges.length) ?? unavailable('redis: the answer is malformed');
  }

  /** None: all buckets are in Redis. */
  sizes(): Readonly<Record<string, number>> {
    return {};
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }
}

const readAnswer = (value: unknown, count: number): RateLimitAnswer | null => {
  if (!Array.isArray(value) || value.length !== count + 2) return null;
  const [refused, waitMs, ...left] = value.map(Number) as [number, number, ...number[]];
  if (!value.every((part) => Number.isFinite(Number(part))) || refused > count) return null;
  return refused === 0 ? { kind: 'taken', left } : { kind: 'refused', refusedBy: refused - 1, waitMs, left };
};
