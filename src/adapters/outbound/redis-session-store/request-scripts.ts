import { redisScript } from './redis-script.js';

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

/** hash, record, created, expires, time to live, how many there may be: 1, or 0 where it is there. */
export const keepRequestScript = redisScript(`${drop}
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

/** hash: its record. */
export const findRequestScript = redisScript("return redis.call('HGET', p .. 'requests', ARGV[1])");

/** hash: its record, which is there no more. */
export const takeRequestScript = redisScript(`${drop}
local record = redis.call('HGET', p .. 'requests', ARGV[1])
drop(ARGV[1])
return record
`);

/** now, limit: how many were removed. */
export const expireRequestsScript = redisScript(`${drop}
local ids = redis.call('ZRANGEBYSCORE', p .. 'requests:expires', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do drop(id) end
return #ids
`);
