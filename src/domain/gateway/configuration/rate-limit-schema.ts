import { requestKey } from '../../configuration/schema/request-key.js';
import { optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { decimal, integer } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import type { RateLimitPolicy } from '../rate-limiting/rate-limit-policy.js';

const highestRate = 1_000_000;
/** About one request a day: what is slower is no rate. */
const lowestRate = 0.00001;
/** Seconds of the rate that may come at once, unless it is said otherwise. */
const burstSecs = 10;
/** Products of fractions are above the whole by less than this. */
const roundingError = 1e-9;

/** Requests per second. */
export const rate = decimal(lowestRate, highestRate);

/** The limit of a rate: without a burst of its own, `burstSecs` times the rate, whole and at least one request. */
export const rateLimitOf = (requestsPerSecond: number, burst: number | null = null): RateLimit => ({
  requestsPerSecond,
  burst: burst ?? Math.max(1, Math.ceil(requestsPerSecond * burstSecs - roundingError)),
});

const shape = {
  'requests-per-second': required(rate, 'How many requests are let through in each second for as long as they come.'),
  burst: optional(
    integer(1, highestRate * burstSecs),
    `How many may come at once. Without it: ${burstSecs} times the rate, and at least 1.`,
  ),
  key: withDefault(
    requestKey(['client_ip', 'path', 'route'], ['header']),
    { kind: 'client_ip' },
    '`client_ip`',
    'What has a limit of its own: each client address, each path, the route as a whole, or each value of a header. Requests without the header have one together.',
  ),
};

/** A block `rate-limit` that was read. */
export const toRateLimitPolicy = (fields: Fields<typeof shape>): RateLimitPolicy => ({
  limit: rateLimitOf(fields['requests-per-second'].value, fields.burst.value),
  key: fields.key.value,
});

export const rateLimit = switchedBlock(shape, null, {
  standard: 'none',
  meaning: 'How many requests the route takes, besides what `limits` say. What is over it is answered with 429.',
});
