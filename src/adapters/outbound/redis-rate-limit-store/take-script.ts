import { createHash } from 'node:crypto';

/*
 * A bucket is a string, "<tokens> <milliseconds of the clock of redis>", that goes by itself once it is full. Each space has a sorted set of
 * the keys of its buckets, by last use, so that there are never more than so many.
 *
 * KEYS: of each charge the bucket, then the set of its space. ARGV: how many buckets a space has at the most; then of each charge the rate
 * and the burst. Gives the number of the charge that refused (0: none did), the wait in milliseconds, and what is left in each bucket.
 * The numbers with fractions are texts: as numbers they would lose them.
 */
const source = `
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
    -- A clock that was set back far must not keep everybody out until it is where it was: an empty bucket's time is enough.
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
`;

/** A Lua script: Redis runs it as a whole, with nobody else's commands in between. */
export const takeScript = {
  source,
  /** SHA-1 of the source, by which Redis finds it again: no secret and no proof. */
  id: createHash('sha1').update(source).digest('hex'),
} as const;
