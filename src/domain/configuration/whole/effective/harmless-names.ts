import { describesOnly, looksSecret } from '../../hidden-text.js';

/** Option names of arbitrary agents whose values are not secret. */
const harmless = new Set([
  'action',
  'address',
  'addresses',
  'algorithm',
  'allow',
  'allowed',
  'anything',
  'audience',
  'block',
  'burst',
  'capacity',
  'count',
  'default',
  'deny',
  'description',
  'direction',
  'enabled',
  'encoding',
  'environment',
  'exclude',
  'format',
  'host',
  'include',
  'interval',
  'issuer',
  'kind',
  'language',
  'level',
  'limit',
  'limits',
  'method',
  'methods',
  'mode',
  'name',
  'names',
  'path',
  'paths',
  'port',
  'prefix',
  'priority',
  'rate',
  'realm',
  'region',
  'retries',
  'schema',
  'size',
  'status',
  'threshold',
  'timeout',
  'ttl',
  'type',
  'verbose',
  'version',
  'weight',
  'window',
  'zone',
]);

/** Endings of names of quantities. */
const measures = /-(?:ms|secs|seconds|minutes|hours|days|bytes|kb|mb|count|percent|size|level|threshold|ratio|depth)$/i;

/** Whether the value of an unknown option may be shown. Unknown names are not harmless. */
export const isHarmlessName = (name: string): boolean =>
  describesOnly(name) ||
  (!looksSecret(name) && (harmless.has(name.toLowerCase()) || measures.test(name) || /^(?:max|min|log)-/i.test(name)));
