import { redisScript } from './redis-script.js';

/*
 * session:<hash>   hash: the record, and the keys of the indexes that it is in
 * ids              sorted set, all scores 0: finds by prefix, and counts
 * created          scores are negative, so that the latest comes first and, of one moment, the lowest hash
 * expires, seen    sorted sets
 * user:..., subject:..., index:...   as created, of one user, of one subject, of one subject's session at the identity provider
 */

/** Takes a session out of everything; a member whose record is gone, as eviction leaves it, leaves the sets here too. */
const drop = `
local function drop(id)
  local places = redis.call('HMGET', p .. 'session:' .. id, 'user', 'subject', 'index')
  for _, place in ipairs(places) do
    if place and place ~= '' then redis.call('ZREM', p .. place, id) end
  end
  for _, set in ipairs({ 'ids', 'created', 'expires', 'seen' }) do redis.call('ZREM', p .. set, id) end
  return redis.call('DEL', p .. 'session:' .. id)
end
`;

/** What is given back of one session: its record, and when it was last seen. */
const shown = `
local function shown(id)
  local record = redis.call('HGET', p .. 'session:' .. id, 'record')
  if not record then return false end
  return { id, record, redis.call('ZSCORE', p .. 'seen', id) }
end
`;

/** hash, record, user, subject, index (empty: none), created as a negative number, expires, seen, time to live: 1, or 0 where it is there. */
export const insertScript = redisScript(`
local id, ttl = ARGV[1], ARGV[9]
local session = p .. 'session:' .. id
if redis.call('EXISTS', session) == 1 then return 0 end
redis.call('HSET', session, 'record', ARGV[2], 'user', ARGV[3], 'subject', ARGV[4], 'index', ARGV[5])
redis.call('PEXPIRE', session, ttl)
local function put(key, score)
  redis.call('ZADD', p .. key, score, id)
  hold(p .. key, ttl)
end
put('ids', '0')
put('created', ARGV[6])
put('expires', ARGV[7])
put('seen', ARGV[8])
put(ARGV[3], ARGV[6])
put(ARGV[4], ARGV[6])
if ARGV[5] ~= '' then put(ARGV[5], ARGV[6]) end
return 1
`);

/** hash */
export const findScript = redisScript(`${shown} return shown(ARGV[1])`);

/** hash: how many were removed. */
export const removeScript = redisScript(`${drop} return drop(ARGV[1])`);

/** key of an index, limit: how many members were looked at, and the hashes of those that were sessions. */
export const removeMembersScript = redisScript(`${drop}
local key = p .. ARGV[1]
local ids = redis.call('ZRANGE', key, 0, ARGV[2] - 1)
local removed = {}
for _, id in ipairs(ids) do
  if drop(id) == 1 then removed[#removed + 1] = id else redis.call('ZREM', key, id) end
end
return { #ids, removed }
`);

/**
 * key of an index, limit, score and hash of the last of the page before (empty: none): what is shown of each, and score and hash of the last
 * that was looked at, false where there are no more. Where that last one is gone, its place is found by putting it back for a moment.
 */
export const listScript = redisScript(`${drop}${shown}
local key, limit, at = p .. ARGV[1], tonumber(ARGV[2]), 0
if ARGV[4] ~= '' then
  local missing = not redis.call('ZSCORE', key, ARGV[4])
  if missing then redis.call('ZADD', key, ARGV[3], ARGV[4]) end
  at = redis.call('ZRANK', key, ARGV[4])
  if missing then redis.call('ZREM', key, ARGV[4]) else at = at + 1 end
end
local found, last = {}, false
for _ = 1, limit + 10000 do
  local entry = redis.call('ZRANGE', key, at, at, 'WITHSCORES')
  if #entry == 0 then last = false break end
  if #found == limit then break end
  local session = shown(entry[1])
  if session then
    found[#found + 1] = session
    at = at + 1
  else
    drop(entry[1])
    redis.call('ZREM', key, entry[1])
  end
  last = { entry[2], entry[1] }
end
return { last, found }
`);

/** first hash, the one after the last, limit: what is shown of each. */
export const prefixScript = redisScript(`${drop}${shown}
local found, at = {}, 0
while #found < tonumber(ARGV[3]) do
  local ids = redis.call('ZRANGEBYLEX', p .. 'ids', '[' .. ARGV[1], '(' .. ARGV[2], 'LIMIT', at, 1)
  if #ids == 0 then break end
  local session = shown(ids[1])
  if session then
    found[#found + 1] = session
    at = at + 1
  else
    drop(ids[1])
  end
end
return found
`);

/** now, limit of last seen (empty: none), limit: how many were removed. */
export const expireScript = redisScript(`${drop}
local left = tonumber(ARGV[3])
local function sweep(set, highest)
  local ids = redis.call('ZRANGEBYSCORE', p .. set, '-inf', highest, 'LIMIT', 0, left)
  for _, id in ipairs(ids) do drop(id) end
  left = left - #ids
end
sweep('expires', ARGV[1])
if ARGV[2] ~= '' and left > 0 then sweep('seen', '(' .. ARGV[2]) end
return ARGV[3] - left
`);
