import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { integer } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key } from '../../configuration/schema/schema.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import { agentDefaults } from './agent-configuration.js';
import { optionBlock } from './option-blocks.js';

const maximumRate = 1_000_000;
/** Default burst, in seconds of the rate. */
const burstSecs = 10;

const shape = {
  'requests-per-second': withDefault(
    integer(1, maximumRate),
    agentDefaults.exchangesPerSecond,
    String(agentDefaults.exchangesPerSecond),
    'Sustained requests per second.',
  ),
  burst: optional(
    integer(1, maximumRate * burstSecs),
    `Maximum burst; default: ${burstSecs} times \`requests-per-second\`.`,
  ),
};

const limitOf = (requestsPerSecond: number, burst: number | null): RateLimit => ({
  requestsPerSecond,
  burst: burst ?? requestsPerSecond * burstSecs,
});

const toLimit = (fields: Fields<typeof shape>): RateLimit =>
  limitOf(fields['requests-per-second'].value, fields.burst.value);

const key = optionBlock(
  shape,
  'Rate limit per client, and per client address before authentication. `#null`: no limit.',
);

/** The limit of the endpoint: a default if absent, none if null. */
export const exchangeRateLimit: Key<RateLimit | null> = {
  ...key,
  document: { ...key.document, default: 'see its keys' },
  read: (name, settings, context) => {
    const field = key.read(name, settings, context);
    if (settings.length === 0) return { ...field, value: limitOf(agentDefaults.exchangesPerSecond, null) };
    return { ...field, value: field.value === null ? null : toLimit(field.value) };
  },
};
