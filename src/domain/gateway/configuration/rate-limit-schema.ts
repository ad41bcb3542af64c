import { requestKey } from '../../configuration/schema/request-key.js';
import { optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { decimal, integer } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import type { RateLimitPolicy } from '../rate-limiting/rate-limit-policy.js';

const highestRate = 1_000_000;
/** About one request per day. */
const lowestRate = 0.00001;
/** Default burst, in seconds of the rate. */
const burstSecs = 10;
/** Products of fractions exceed the exact value by less than this. */
const roundingError = 1e-9;

/** Requests per second. */
export const rate = decimal(lowestRate, highestRate);

/** The limit for a rate. The default burst is `burstSecs` times the rate, rounded up, and at least 1. */
export const rateLimitOf = (requestsPerSecond: number, burst: number | null = null): RateLimit => ({
  requestsPerSecond,
  burst: burst ?? Math.max(1, Math.ceil(requestsPerSecond * burstSecs - roundingError)),
});

const shape = {
  'requests-per-second': required(rate, 'Sustained rate of requests. Requests above it get 429.'),
  burst: optional(
    integer(1, highestRate * burstSecs),
    `Requests that may arrive at once. Without it: ${burstSecs} times the rate, at least 1.`,
  ),
  key: withDefault(
    requestKey(['client_ip', 'path', 'route'], ['header']),
    { kind: 'client_ip' },
    '`client_ip`',
    'What the limit counts: each client address, each path, the whole route, or each value of a header. Requests without the header share one limit.',
  ),
};

/** Converts a block `rate-limit` that has no errors. */
export const toRateLimitPolicy = (fields: Fields<typeof shape>): RateLimitPolicy => ({
  limit: rateLimitOf(fields['requests-per-second'].value, fields.burst.value),
  key: fields.key.value,
});

export const rateLimit = switchedBlock(shape, null, {
  standard: 'none',
  meaning: 'Limit the request rate of the route, in addition to `limits`. Requests above the rate get 429.',
});
