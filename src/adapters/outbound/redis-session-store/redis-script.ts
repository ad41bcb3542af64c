import { createHash } from 'node:crypto';

/** A Lua script: Redis runs it as a whole, with nobody else's commands in between. */
export interface RedisScript {
  readonly source: string;
  /** SHA-1 of the source, by which Redis finds it again: no secret and no proof. */
  readonly id: string;
}

/**
 * A script with what every one of ours begins with. KEYS[1] is the prefix of all keys, which is also why no script touches another
 * service provider's. A whole key lives on while anything in it does, and goes by itself where every agent is gone for good.
 */
export const redisScript = (body: string): RedisScript => {
  const source = `local p = KEYS[1]
local function hold(key, ttl)
  if redis.call('PTTL', key) < tonumber(ttl) then redis.call('PEXPIRE', key, ttl) end
end
${body}`;
  return { source, id: createHash('sha1').update(source).digest('hex') };
};
