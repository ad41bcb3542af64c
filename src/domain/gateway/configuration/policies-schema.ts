import { block } from '../../configuration/schema/block-keys.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, seconds, size } from '../../configuration/schema/scalar-kind.js';
import { compress } from './compress-schema.js';
import { cors } from './cors-schema.js';
import { errorPages } from './error-pages-schema.js';
import { requestHeaderRules, responseHeaderRules } from './header-rules-schema.js';
import { rateLimit } from './rate-limit-schema.js';
import { pathPolicyShape } from './rewrite-schema.js';

/** In octets. */
export const bodySize = size(0, Number.MAX_SAFE_INTEGER);

/** Meaning of `request-secs` in a route and in an upstream. */
export const requestTimeout =
  'How long the gateway waits for a connection, and then from the end of the request to the response head.';

/** Meaning of `read-secs` in a route and in an upstream. */
export const readTimeout =
  'Longest pause of the upstream within a response body, or while it accepts no part of a request body.';

/** The keys of `policies`. */
export const policiesShape = {
  'max-body-size': optional(bodySize, 'Largest request body, in bytes. Without it: `max-body-size-bytes` of `limits`.'),
  'timeout-secs': optional(seconds(1, 86_400), `Short for \`timeouts { request-secs }\`. Set only one of them.`),
  timeouts: block(
    {
      'request-secs': optional(seconds(1, 86_400), `${requestTimeout} Without it: the value of the upstream.`),
      'read-secs': optional(seconds(1, 86_400), `${readTimeout} Without it: the value of the upstream.`),
    },
    'Timeouts of the route. They override those of its upstream.',
  ),
  'buffer-requests': withDefault(
    boolean,
    false,
    '`#false`',
    'Read the whole request before forwarding it. A body above `max-body-buffer-bytes` gets 413.',
  ),
  'buffer-responses': withDefault(
    boolean,
    false,
    '`#false`',
    'Read the whole response before sending it to the client. Event streams and bodies above `max-body-buffer-bytes` are streamed.',
  ),
  'rate-limit': rateLimit,
  'error-pages': errorPages('errors of this route'),
  compress,
  cors,
  'request-headers': requestHeaderRules,
  'response-headers': responseHeaderRules,
  ...pathPolicyShape,
  'forward-identity-headers': withDefault(
    boolean,
    false,
    '`#false`',
    'Forward identity and certificate headers from clients, which other routes remove. An error on a route with agents.',
  ),
};

export const policies = block(
  policiesShape,
  'Limits, timeouts, buffering and header rules of this route. They override those of `defaults`. `#null` takes a default away.',
);
