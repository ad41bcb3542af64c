import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { decimal, integer, oneOf, secret, size } from '../../configuration/schema/scalar-kind.js';
import { bodySize } from './policies-schema.js';
import { rate } from './rate-limit-schema.js';

/** Values that other programs use. */
const otherFailureWords: ReadonlyMap<string, 'local' | 'allow' | 'deny'> = new Map([
  ['open', 'allow'],
  ['fail-open', 'allow'],
  ['pass', 'allow'],
  ['closed', 'deny'],
  ['fail-closed', 'deny'],
  ['refuse', 'deny'],
  ['memory', 'local'],
]);

/** Keys of `limits` for the rate-limit store. */
const rateStoreShape = {
  'rate-limit-store': withDefault(
    oneOf(['memory', 'redis'], [], (text) => (text.toLowerCase() === 'valkey' ? 'redis' : null)),
    'memory',
    '`memory`',
    'Where rate limits are counted: `memory` counts in each gateway, `redis` counts for all gateways that share it.',
  ),
  'rate-limit-store-url': optional(
    secret,
    '`redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` for TLS. Required with `redis`.',
  ),
  'on-store-failure': withDefault(
    oneOf(
      ['local', 'allow', 'deny'],
      [],
      (text) => otherFailureWords.get(text.toLowerCase().replaceAll('_', '-')) ?? null,
    ),
    'local',
    '`local`',
    'While Redis does not answer, the gateway counts by itself (`local`), accepts all requests (`allow`) or refuses them (`deny`).',
  ),
};

/** Upper bound of a request head, in octets. It limits the memory that an unauthenticated client can hold. */
const maxHeaderBytes = 65_536;

/** Upper bound of buffered body octets: buffered bodies stay in memory. */
const maxHeldOctets = 1_073_741_824;

/** The process itself needs more, so a smaller number probably has the wrong unit. */
const minMemoryBytes = 1_048_576;

/** Upper bound of every connection count. */
const manyConnections = 10_000_000;

const connections = (value: number, meaning: string) =>
  withDefault(integer(1, manyConnections), value, String(value), meaning);

const burst = 'Bursts of ten times as many are allowed. `#null`: no limit.';

export const limitsShape = {
  'max-header-size-bytes': withDefault(
    size(256, maxHeaderBytes),
    8192,
    '8192',
    'Bytes of all header fields of a request together. A longer head gets 431.',
  ),
  'max-header-count': withDefault(integer(1, 10_000), 100, '100', 'Number of header fields of a request.'),
  'max-header-name-bytes': withDefault(size(1, 65_536), 256, '256', 'Bytes of one header name.'),
  'max-header-value-bytes': withDefault(size(1, maxHeaderBytes), 4096, '4096', 'Bytes of one header value.'),
  'max-body-size-bytes': withDefault(
    bodySize,
    10_485_760,
    '10485760',
    'Bytes of a request body. A larger body gets 413.',
  ),
  'max-body-buffer-bytes': withDefault(
    size(0, maxHeldOctets),
    1_048_576,
    '1048576',
    'Bytes of a body that `buffer-requests` and `buffer-responses` hold in memory.',
  ),
  'max-body-inspection-bytes': withDefault(
    size(0, maxHeldOctets),
    1_048_576,
    '1048576',
    'Bytes of a body that the gateway sends to agents.',
  ),
  'max-decompression-ratio': withDefault(
    decimal(1, 1_000_000),
    100,
    '100',
    'Largest ratio of decompressed to compressed size for a body that an agent inspects.',
  ),
  'max-decompressed-size-bytes': withDefault(
    size(0, maxHeldOctets),
    104_857_600,
    '104857600',
    'Bytes of a body after decompression for an agent.',
  ),
  'max-connections-per-client': connections(
    100,
    'Connections of one client address. Behind `trusted-proxies`: concurrent requests of one client.',
  ),
  'max-connections-per-route': connections(1_000, 'Concurrent requests of one route.'),
  'max-total-connections': connections(
    10_000,
    'Client connections of the gateway. Keep it below the limit of open files, with room for upstream connections.',
  ),
  'max-idle-connections-per-upstream': withDefault(
    integer(0, manyConnections),
    100,
    '100',
    'Idle connections to all targets of an upstream together. The gateway closes more as with `max-idle`.',
  ),
  'max-in-flight-requests': connections(
    10_000,
    'Concurrent requests of the gateway. Event streams, WebSockets and gRPC responses of more than 10 s do not count.',
  ),
  'max-in-flight-requests-per-worker': connections(1_000, 'The same for one worker process.'),
  'max-queued-requests': withDefault(
    integer(0, 1_000_000),
    1_000,
    '1000',
    'Requests that wait for a free slot. 0: none waits.',
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
    'Bytes of a body that the gateway sends to one agent. An agent may announce a lower limit.',
  ),
  'max-agent-response-bytes': withDefault(
    size(256, 16_777_216),
    10_240,
    '10240',
    "Bytes of an agent's answer, without replacement bodies.",
  ),
  'max-requests-per-second-global': optional(rate, `Requests per second of the gateway. ${burst}`),
  'max-requests-per-second-per-client': optional(rate, `Requests per second of one client address. ${burst}`),
  'max-requests-per-second-per-route': optional(rate, `Requests per second of one route. ${burst}`),
  ...rateStoreShape,
  'max-memory-bytes': optional(
    size(minMemoryBytes, Number.MAX_SAFE_INTEGER),
    'Memory of the process. Above it the gateway refuses new work until usage falls to 90 %. `#null`: no limit.',
  ),
  'max-memory-percent': optional(
    decimal(1, 100),
    'As `max-memory-bytes`, in percent of the memory of the system or its control group. The lower limit applies.',
  ),
};
