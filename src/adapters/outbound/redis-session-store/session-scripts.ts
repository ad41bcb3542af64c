import { keyspaceScript } from './session-keyspace.js';

/*
 * session:<hash>   hash: the record, the keys of its indexes, and the refresh lease: `holder`, and `held`, its end
 * ids              sorted set, all scores 0: for lookup by prefix, and for the count
 * created          sorted set with negative scores: the latest first and, of one moment, the lowest hash
 * expires, seen    sorted sets
 * oidc             sorted set of the sessions of this method, by expiry, for the count. All others are of SAML, as in
 *                  earlier releases, which do not know the set
 * user:..., subject:..., index:...   like created, for one user, one subject, one session at the identity provider
 * named:...        like index, for a session of an OpenID provider without its subject
 */

/** Removes a session from every key; also a member whose record was evicted. */
const drop = `
local function drop(id)
  local places = redis.call('HMGET', p .. 'session:' .. id, 'user', 'subject', 'index', 'named')
  for _, place in ipairs(places) do
    if place and place ~= '' then redis.call('ZREM', p .. place, id) end
  end
  for _, set in ipairs({ 'ids', 'created', 'expires', 'seen', 'oidc' }) do redis.call('ZREM', p .. set, id) end
  return redis.call('DEL', p .. 'session:' .. id)
end
`;

/** A session as scripts return it: its hash, its record, and when it was last seen. */
const shown = `
local function shown(id)
  local record = redis.call('HGET', p .. 'session:' .. id, 'record')
  if not record then return false end
  return { id, record, redis.call('ZSCORE', p .. 'seen', id) }
end
`;

/**
 * Takes hash, record, user, subject, index (empty: none), created as a negative number, expires,
 * seen, time to live, method, name at an OpenID provider (empty: none). Returns 0 for a hash that is there, else 1.
 */
export const insertScript = keyspaceScript(`
local id, ttl = ARGV[1], ARGV[9]
local session = p .. 'session:' .. id
if redis.call('EXISTS', session) == 1 then return 0 end
redis.call('HSET', session, 'record', ARGV[2], 'user', ARGV[3], 'subject', ARGV[4], 'index', ARGV[5], 'named', ARGV[11])
redis.call('PEXPIRE', session, ttl)
local function put(key, score)
  redis.call('ZADD', p .. key, score, id)
  hold(p .. key, ttl)
end
put('ids', '0')
put('created', ARGV[6])
put('expires', ARGV[7])
put('seen', ARGV[8])
if ARGV[10] == 'oidc' then put('oidc', ARGV[7]) end
put(ARGV[3], ARGV[6])
put(ARGV[4], ARGV[6])
if ARGV[5] ~= '' then put(ARGV[5], ARGV[6]) end
if ARGV[11] ~= '' then put(ARGV[11], ARGV[6]) end
return 1
`);

/** Takes a hash. Returns the session. */
export const findScript = keyspaceScript(`${shown} return shown(ARGV[1])`);

/**
 * Takes a hash, holder, end of the lease, now. Returns 1 if the holder has the lease, 0 if another has it, 2 during the
 * back-off, and -1 if there is no session.
 */
export const leaseScript = keyspaceScript(`
local session = p .. 'session:' .. ARGV[1]
if redis.call('HEXISTS', session, 'record') == 0 then return -1 end
local held = redis.call('HGET', session, 'held')
if held and tonumber(held) > tonumber(ARGV[4]) then
  if redis.call('HEXISTS', session, 'holder') == 1 then return 0 else return 2 end
end
redis.call('HSET', session, 'holder', ARGV[2], 'held', ARGV[3])
return 1
`);

/**
 * Takes a hash, holder, the new record (empty: it stays), and the end of the back-off. Returns 0 if the holder does not
 * have the lease, else 1.
 */
export const endRefreshScript = keyspaceScript(`
local session = p .. 'session:' .. ARGV[1]
if redis.call('HGET', session, 'holder') ~= ARGV[2] then return 0 end
redis.call('HDEL', session, 'holder')
redis.call('HSET', session, 'held', ARGV[4])
if ARGV[3] ~= '' then redis.call('HSET', session, 'record', ARGV[3]) end
return 1
`);

/** Takes a hash. Returns the number of removed sessions. */
export const removeScript = keyspaceScript(`${drop} return drop(ARGV[1])`);

/**
 * Takes the key of an index, limit. Returns the number of examined members, and the hashes of the
 * removed sessions.
 */
export const removeMembersScript = keyspaceScript(`${drop}
local key = p .. ARGV[1]
local ids = redis.call('ZRANGE', key, 0, ARGV[2] - 1)
local removed = {}
for _, id in ipairs(ids) do
  if drop(id) == 1 then removed[#removed + 1] = id else redis.call('ZREM', key, id) end
end
return { #ids, removed }
`);

/**
 * Takes the key of an index, limit, score and hash of the last member of the previous page (empty:
 * none). Returns score and hash of the last examined member (false: there are no more), and the
 * sessions. When that last member is gone, the script puts it back for a moment to find its place.
 */
export const listScript = keyspaceScript(`${drop}${shown}
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

/** Takes the first hash, the hash after the last, limit. Returns the sessions. */
export const prefixScript = keyspaceScript(`${drop}${shown}
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

/**
 * Takes now, the earliest last-seen time to keep (empty: none), limit. Returns the number of
 * removed sessions.
 */
export const expireScript = keyspaceScript(`${drop}
local left = tonumber(ARGV[3])
local function sweep(set, highest)
  local ids = redis.call('ZRANGEBYSCORE', p .. set, '-inf', highest, 'LIMIT', 0, left)
  for _, id in ipairs(ids) do drop(id) end
  left = left - #ids
end
sweep('expires', ARGV[1])
if ARGV[2] ~= '' and left > 0 then sweep('seen', '(' .. ARGV[2]) end
-- Earlier releases remove sessions without their entry here.
if left > 0 then redis.call('ZREMRANGEBYSCORE', p .. 'oidc', '-inf', ARGV[1]) end
return ARGV[3] - left
`);

/** Returns the number of all sessions, and of those of OpenID Connect. */
export const countScript = keyspaceScript(
  `return { redis.call('ZCARD', p .. 'ids'), redis.call('ZCARD', p .. 'oidc') }`,
);
