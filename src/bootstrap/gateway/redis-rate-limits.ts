import type { SharedRateLimitStoreOpener } from '../../application/ports/shared/rate-limit-store.js';

/** Loads the client of redis when buckets are first kept there. */
export const openRedisRateLimits: SharedRateLimitStoreOpener = async (url) => {
  const { RedisRateLimitStore } = await import(
    '../../adapters/outbound/redis-rate-limit-store/redis-rate-limit-store.js'
  );
  return RedisRateLimitStore.open(url);
};
