import { block, foreign } from '../../configuration/schema/block-keys.js';
import { cidr, headerName, socketAddress } from '../../configuration/schema/network-kinds.js';
import { list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, seconds, size } from '../../configuration/schema/scalar-kind.js';
import type { Key } from '../../configuration/schema/schema.js';
import { tls } from './tls-schema.js';

const clientSecs = seconds(1, 3600);

/** In octets per second. */
const maxBodyRate = 1_073_741_824;

const timeoutsShape = {
  'proxy-header-secs': withDefault(
    seconds(1, 60),
    5_000,
    '5',
    'With `proxy-protocol`: time from the connection to the end of its PROXY header.',
  ),
  'header-secs': withDefault(clientSecs, 60_000, '60', 'Time from the first byte of a request head to its last.'),
  'body-secs': withDefault(
    clientSecs,
    60_000,
    '60',
    'Longest pause while a client sends a body, or while it does not read its response.',
  ),
  'min-body-rate': withDefault(
    size(0, maxBodyRate),
    240,
    '240',
    'Bytes per second that a request body must average, with `body-secs` of grace. 0: no minimum.',
  ),
  'idle-secs': withDefault(
    clientSecs,
    75_000,
    '75',
    'Time from the end of a response to the first byte of the next request on the connection.',
  ),
};

const http2Meaning = 'Accept HTTP/2 besides HTTP/1.1: by ALPN with TLS, by prior knowledge without TLS.';

/** Null: the default of the protocol. */
const http2: Key<boolean | null> = {
  ...optional(boolean, http2Meaning),
  document: { type: boolean.label, default: 'with `https` `#true`, else `#false`', meaning: http2Meaning },
};

export const listenerShape = {
  address: required(socketAddress(0), 'Address to listen on. Port 0 selects a free port.'),
  protocol: withDefault(oneOf(['http', 'https']), 'http', '`http`', 'Protocol of the listener. `https` needs `tls`.'),
  'trusted-proxies': list(
    cidr,
    'Peers whose `X-Forwarded-*` and `Forwarded` headers the gateway trusts. It removes those headers of all other peers.',
  ),
  tls,
  timeouts: block(timeoutsShape, 'How long the gateway waits for clients.'),
  'proxy-protocol': withDefault(
    boolean,
    false,
    '`#false`',
    'Require a PROXY protocol header, version 1 or 2, on every connection. Only `trusted-proxies` may connect then.',
  ),
  http2,
  'request-timeout-secs': foreign(
    'it belongs in `timeouts` of the listener',
    'write timeouts { header-secs 60; body-secs 60 }',
  ),
  'keepalive-timeout-secs': foreign('it belongs in `timeouts` of the listener', 'write timeouts { idle-secs 75 }'),
  'default-route': foreign(
    'a route that matches every request is the default route',
    'write matches { path-prefix "/" } on that route, and lower its priority if necessary',
  ),
  'max-concurrent-streams': foreign('the gateway sets the limit of HTTP/2 streams', 'delete the line'),
  'accept-client-cert-header': optional(
    headerName,
    'Header in which `trusted-proxies` send the certificate of their client. The gateway removes it from all other requests.',
  ),
};
