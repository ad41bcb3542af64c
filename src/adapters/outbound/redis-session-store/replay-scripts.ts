import { redisScript } from './redis-script.js';

/*
 * replays   sorted set: the keys that are remembered, by the moment until which they are
 */

/** key, until, now, time to live: 1 where it is the first, else 0. */
export const rememberScript = redisScript(`
local known = redis.call('ZSCORE', p .. 'replays', ARGV[1])
if known and tonumber(known) > tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', p .. 'replays', ARGV[2], ARGV[1])
hold(p .. 'replays', ARGV[4])
return 1
`);

/** now, limit: how many were removed. */
export const forgetScript = redisScript(`
local keys = redis.call('ZRANGEBYSCORE', p .. 'replays', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, key in ipairs(keys) do redis.call('ZREM', p .. 'replays', key) end
return #keys
`);
