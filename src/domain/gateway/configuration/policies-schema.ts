import { block } from '../../configuration/schema/block-keys.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, seconds, size } from '../../configuration/schema/scalar-kind.js';
import { rateLimit } from './rate-limit-schema.js';

/** Octets up to what a number can count. */
export const bodySize = size(0, Number.MAX_SAFE_INTEGER);

/** What `request-secs` counts, wherever it stands. */
export const requestTimeout = 'The wait for a connection, and from the request sent whole to the head of its answer.';

/** What `read-secs` counts, wherever it stands. */
export const readTimeout =
  'Silence of the upstream: after the head of its answer, and while it takes nothing of a request body.';

const shape = {
  'max-body-size': optional(bodySize, 'Largest request body. Without it: `limits` says.'),
  'timeout-secs': optional(seconds(1, 86_400), `${requestTimeout} Not together with \`timeouts\`.`),
  timeouts: block(
    {
      'request-secs': optional(seconds(1, 86_400), `${requestTimeout} Without it: the upstream says.`),
      'read-secs': optional(seconds(1, 86_400), `${readTimeout} Without it: the upstream says.`),
    },
    'Time-outs of the route.',
  ),
  'buffer-requests': withDefault(
    boolean,
    false,
    '`#false`',
    'Read a request whole before it is sent on. One that is larger than `max-body-buffer-bytes` is answered with 413.',
  ),
  'buffer-responses': withDefault(
    boolean,
    false,
    '`#false`',
    'Read a response before it goes to the client, up to `max-body-buffer-bytes`; what is longer, and event streams, go on as they come.',
  ),
  'rate-limit': rateLimit,
  'forward-identity-headers': withDefault(
    boolean,
    false,
    '`#false`',
    'Forward the identity and certificate headers of clients, which every other route removes. Refused on a route with agents.',
  ),
};

export const policies = block(shape, 'Limits of this route.');
