import { notYet } from '../schema/block-keys.js';
import { withDefault } from '../schema/scalar-keys.js';
import { decimal, integer, size } from '../schema/scalar-kind.js';
import { bodySize } from './route-schema.js';

const rate = (meaning: string) => notYet(meaning, { mayBeNull: true });

/** More is not read of a head, whatever the limits: it would be held for clients that nothing is known of yet. */
const maxHeaderBytes = 65_536;

/** A body that is inspected is held. */
const maxAgentOctets = 1_073_741_824;

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
  'max-body-buffer-bytes': notYet('Buffered octets of a body.'),
  'max-body-inspection-bytes': withDefault(
    size(0, maxAgentOctets),
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
    size(0, maxAgentOctets),
    104_857_600,
    '104857600',
    'A compressed body once it is inflated for an agent.',
  ),
  'max-connections-per-client': notYet('Connections of one client.'),
  'max-connections-per-route': notYet('Concurrent requests of one route.'),
  'max-total-connections': notYet('Connections.'),
  'max-idle-connections-per-upstream': notYet('Connections to an upstream that nothing uses.'),
  'max-in-flight-requests': notYet('Concurrent requests.'),
  'max-in-flight-requests-per-worker': notYet('Concurrent requests of one worker.'),
  'max-queued-requests': notYet('Requests that wait.'),
  'max-agent-queue-depth': withDefault(
    integer(1, 100_000),
    100,
    '100',
    'Calls to one agent that wait for a free slot.',
  ),
  'max-agent-body-bytes': withDefault(
    size(0, maxAgentOctets),
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
  'max-requests-per-second-global': rate('Requests per second, all together.'),
  'max-requests-per-second-per-client': rate('Requests per second of one client address.'),
  'max-requests-per-second-per-route': rate('Requests per second of one route.'),
  'max-memory-bytes': rate('Memory of the gateway.'),
  'max-memory-percent': rate('Memory of the gateway, as a part of what the system has.'),
};
