import type { SharedRateLimitStoreOpener } from '../../application/ports/shared/rate-limit-store.js';

/** Opens buckets in Redis. Loads the client on demand. */
export const openRedisRateLimits: SharedRateLimitStoreOpener = async (url) => {
  const { RedisRateLimitStore } = await import(
    '../../adapters/outbound/redis-rate-limit-store/redis-rate-limit-store.js'
  );
  return RedisRateLimitStore.open(url);
};
