import { custom } from '../../configuration/schema/block-keys.js';
import { refuseRepetition } from '../../configuration/schema/read-block.js';
import { requestKey } from '../../configuration/schema/request-key.js';
import { optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, decimal, integer } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields, Key, Located, ReadContext } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import { hasMembers, type Setting } from '../../configuration/setting/setting.js';
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

/** The keys of a rate limit: of a route, or of a named limit. */
export const rateLimitShape = {
  enabled: withDefault(boolean, true, '`#true`', '`#false` turns the limit off.'),
  'requests-per-second': required(rate, 'Sustained rate of requests. Requests above it get 429.'),
  burst: optional(
    integer(1, highestRate * burstSecs),
    `Requests that may arrive at once. Without it: ${burstSecs} times the rate, at least 1.`,
  ),
  key: withDefault(
    requestKey(['client_ip', 'path', 'route', 'user'], ['header']),
    { kind: 'client_ip' },
    '`client_ip`',
    'What the limit counts: each client address, each path, the whole route, each user, or each value of a header. `user` is the user id that the agents of the route set; requests without one count by client address, apart from users. Requests without the header share one limit.',
  ),
};

export type RateLimitFields = Fields<typeof rateLimitShape>;

/** A `rate-limit` of a route, as written. */
export type WrittenRateLimit =
  | { readonly kind: 'own'; readonly fields: RateLimitFields }
  | { readonly kind: 'named'; readonly name: Located<string> };

/**
 * Converts the keys of a rate limit that has no errors.
 *
 * @param name of the named limit; null: the limit belongs to one route
 * @returns null if it is turned off
 */
export const toRateLimitPolicy = (fields: RateLimitFields, name: string | null): RateLimitPolicy | null =>
  fields.enabled.value
    ? { name, limit: rateLimitOf(fields['requests-per-second'].value, fields.burst.value), key: fields.key.value }
    : null;

const meaning =
  'Limit the request rate of the route, in addition to `limits`. Requests above the rate get 429. With a name: use the named limit, and share its buckets.';

const ownRateLimit = switchedBlock(rateLimitShape, null, { standard: 'none', meaning });

const readName = (setting: Setting, context: ReadContext): boolean => {
  const refuse = (message: string, suggestion: string): false => {
    context.report.add(message, { position: setting.position, path: [...context.path, setting.name], suggestion });
    return false;
  };
  if (setting.args.length > 1 || setting.listed) {
    return refuse('"rate-limit" takes one name', 'write rate-limit "name"; a route has one limit');
  }
  return hasMembers(setting)
    ? refuse(
        '"rate-limit" takes a name or keys, not both',
        'write rate-limit "name" here, and its keys in the block rate-limit "name" { ... } at the top level',
      )
    : true;
};

/** `rate-limit { ... }` or `rate-limit "name"` of a route. */
export const rateLimit: Key<WrittenRateLimit | null> = custom(
  'block, name, or `#null`',
  'none',
  meaning,
  (key, settings, context): Field<WrittenRateLimit | null> => {
    const [setting] = settings;
    const [first] = setting?.args ?? [];
    if (setting === undefined || typeof first?.value !== 'string' || first.unresolved === true) {
      const own = ownRateLimit.read(key, settings, context);
      return { ...own, value: own.value && { kind: 'own', fields: own.value } };
    }
    refuseRepetition(settings, context, false);
    const isRead = readName(setting, context);
    const name = { value: first.value, position: first.position ?? setting.position, hidden: first.hidden };
    const sound = isRead && settings.length === 1;
    return { value: { kind: 'named', name }, given: true, sound, position: setting.position };
  },
  rateLimitShape,
);
