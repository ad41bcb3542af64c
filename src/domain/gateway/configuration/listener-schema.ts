import { block, foreign } from '../../configuration/schema/block-keys.js';
import { cidr, headerName, socketAddress } from '../../configuration/schema/network-kinds.js';
import { list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, seconds, size } from '../../configuration/schema/scalar-kind.js';
import type { Key } from '../../configuration/schema/schema.js';
import { tls } from './tls-schema.js';

const clientSecs = seconds(1, 3600);

/** Octets a second. */
const maxBodyRate = 1_073_741_824;

const timeoutsShape = {
  'proxy-header-secs': withDefault(
    seconds(1, 60),
    5_000,
    '5',
    'From a connection to the end of its PROXY header, with `proxy-protocol`.',
  ),
  'header-secs': withDefault(clientSecs, 60_000, '60', 'From the first octet of a head to its last.'),
  'body-secs': withDefault(
    clientSecs,
    60_000,
    '60',
    'Silence while a body is awaited, and while a client does not read its response.',
  ),
  'min-body-rate': withDefault(
    size(0, maxBodyRate),
    240,
    '240',
    'What a request body has to come at, a second; it may be behind by as long as `body-secs`. 0: no such rate.',
  ),
  'idle-secs': withDefault(
    clientSecs,
    75_000,
    '75',
    'From the end of a response to the first octet of the next request on its connection.',
  ),
};

const http2Meaning =
  'HTTP/2 is spoken beside HTTP/1.1: with TLS it is offered (ALPN), without TLS to clients that begin with it (prior knowledge).';

/** Null: as the protocol has it. */
const http2: Key<boolean | null> = {
  ...optional(boolean, http2Meaning),
  document: { type: boolean.label, default: 'with `https` `#true`, else `#false`', meaning: http2Meaning },
};

export const listenerShape = {
  address: required(socketAddress(0), 'Where it listens. Port 0 takes a free port.'),
  protocol: withDefault(oneOf(['http', 'https']), 'http', '`http`', 'What it speaks. `https` needs `tls`.'),
  'trusted-proxies': list(
    cidr,
    'Peers whose `X-Forwarded-*` and `Forwarded` headers are believed. Everybody else brings none.',
  ),
  tls,
  timeouts: block(timeoutsShape, 'How long clients are waited for.'),
  'proxy-protocol': withDefault(
    boolean,
    false,
    '`#false`',
    'Every connection begins with a PROXY header, version 1 or 2, which names its client. `trusted-proxies` alone may connect then.',
  ),
  http2,
  'request-timeout-secs': foreign(
    '`timeouts` of the listener holds it',
    'write timeouts { header-secs 60; body-secs 60 }',
  ),
  'keepalive-timeout-secs': foreign('`timeouts` of the listener holds it', 'write timeouts { idle-secs 75 }'),
  'default-route': foreign(
    'the route that takes everything is the default',
    'write matches { path-prefix "/" } on that route, and a lower priority where it needs one',
  ),
  'max-concurrent-streams': foreign('streams of HTTP/2 are limited by the gateway', 'take it out'),
  'accept-client-cert-header': optional(
    headerName,
    'Header in which `trusted-proxies` bring the certificate of their client. Nobody else may.',
  ),
};
