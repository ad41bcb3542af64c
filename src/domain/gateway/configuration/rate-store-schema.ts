import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { oneOf, secret } from '../../configuration/schema/scalar-kind.js';

/** By what other programs call it. */
const otherFailureWords: ReadonlyMap<string, 'local' | 'allow' | 'deny'> = new Map([
  ['open', 'allow'],
  ['fail-open', 'allow'],
  ['pass', 'allow'],
  ['closed', 'deny'],
  ['fail-closed', 'deny'],
  ['refuse', 'deny'],
  ['memory', 'local'],
]);

/** The keys of `limits` that say where rates are counted. */
export const rateStoreShape = {
  'rate-limit-store': withDefault(
    oneOf(['memory', 'redis'], [], (text) => (text.toLowerCase() === 'valkey' ? 'redis' : null)),
    'memory',
    '`memory`',
    'Where rates are counted: by each gateway for itself, or in a redis for all gateways that use it.',
  ),
  'rate-limit-store-url': optional(
    secret,
    'redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS. `redis` needs it.',
  ),
  'on-store-failure': withDefault(
    oneOf(
      ['local', 'allow', 'deny'],
      [],
      (text) => otherFailureWords.get(text.toLowerCase().replaceAll('_', '-')) ?? null,
    ),
    'local',
    '`local`',
    'While the redis does not answer, a gateway counts for itself (`local`), lets all through (`allow`) or none (`deny`).',
  ),
};
