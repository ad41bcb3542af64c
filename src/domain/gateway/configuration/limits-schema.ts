import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { decimal, integer, oneOf, secret, size } from '../../configuration/schema/scalar-kind.js';
import { bodySize } from './policies-schema.js';
import { rate } from './rate-limit-schema.js';

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
const rateStoreShape = {
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

/** More is not read of a head, whatever the limits: it would be held for clients that nothing is known of yet. */
const maxHeaderBytes = 65_536;

/** A body that is inspected, or read whole, is held. */
const maxHeldOctets = 1_073_741_824;

/** The process alone takes more: a smaller number was meant in another unit. */
const minMemoryBytes = 1_048_576;

/** More is in no machine. */
const manyConnections = 10_000_000;

const connections = (value: number, meaning: string) =>
  withDefault(integer(1, manyConnections), value, String(value), meaning);

const burst = 'Ten times as many may come at once. `#null`: no limit.';

export const limitsShape = {
  'max-header-size-bytes': withDefault(
    size(256, maxHeaderBytes),
    8192,
    '8192',
    'All header fields of a request together.',
  ),
  'max-header-count': withDefault(integer(1, 10_000), 100, '100', 'Header fields of a request.'),
  'max-header-name-bytes': withDefault(size(1, 65_536), 256, '256', 'The name of a header field.'),
  'max-header-value-bytes': withDefault(size(1, maxHeaderBytes), 4096, '4096', 'The value of a header field.'),
  'max-body-size-bytes': withDefault(bodySize, 10_485_760, '10485760', 'The body of a request.'),
  'max-body-buffer-bytes': withDefault(
    size(0, maxHeldOctets),
    1_048_576,
    '1048576',
    'Octets of a body that are held by `buffer-requests` and `buffer-responses`.',
  ),
  'max-body-inspection-bytes': withDefault(
    size(0, maxHeldOctets),
    1_048_576,
    '1048576',
    'Octets of a body that are sent to agents.',
  ),
  'max-decompression-ratio': withDefault(
    decimal(1, 1_000_000),
    100,
    '100',
    'How many times as large as it came a compressed body may become that is inflated for an agent.',
  ),
  'max-decompressed-size-bytes': withDefault(
    size(0, maxHeldOctets),
    104_857_600,
    '104857600',
    'A compressed body once it is inflated for an agent.',
  ),
  'max-connections-per-client': connections(
    100,
    'Connections of one client address; of a client behind `trusted-proxies`, its concurrent requests.',
  ),
  'max-connections-per-route': connections(1_000, 'Concurrent requests of one route.'),
  'max-total-connections': connections(
    10_000,
    'Connections of clients. Keep it under the limit of open files, with room for those to upstreams.',
  ),
  'max-idle-connections-per-upstream': withDefault(
    integer(0, manyConnections),
    100,
    '100',
    'Connections to all targets of an upstream that are kept while nothing uses them. Others are closed as with `max-idle`.',
  ),
  'max-in-flight-requests': connections(10_000, 'Concurrent requests.'),
  'max-in-flight-requests-per-worker': connections(1_000, 'Concurrent requests of one process.'),
  'max-queued-requests': withDefault(
    integer(0, 1_000_000),
    1_000,
    '1000',
    'Requests that wait until they may be in flight. 0: none waits.',
  ),
  'max-agent-queue-depth': withDefault(
    integer(1, 100_000),
    100,
    '100',
    'Calls to one agent that wait for a free slot.',
  ),
  'max-agent-body-bytes': withDefault(
    size(0, maxHeldOctets),
    1_048_576,
    '1048576',
    'Octets of a body that are sent to one agent. An agent may say itself that it takes fewer.',
  ),
  'max-agent-response-bytes': withDefault(
    size(256, 16_777_216),
    10_240,
    '10240',
    'The answer of an agent, without what it puts in the place of a body.',
  ),
  'max-requests-per-second-global': optional(rate, `Requests per second, all together. ${burst}`),
  'max-requests-per-second-per-client': optional(rate, `Requests per second of one client address. ${burst}`),
  'max-requests-per-second-per-route': optional(rate, `Requests per second of one route. ${burst}`),
  ...rateStoreShape,
  'max-memory-bytes': optional(
    size(minMemoryBytes, Number.MAX_SAFE_INTEGER),
    'Memory of the process. Over it nothing new is taken, until it is down to nine tenths. `#null`: no limit.',
  ),
  'max-memory-percent': optional(
    decimal(1, 100),
    'The same, in percent of what the system, or the control group, has. Of both limits the lower holds.',
  ),
};
