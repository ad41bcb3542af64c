import { block, notYet } from '../schema/block-keys.js';
import { cidr, headerName, socketAddress } from '../schema/network-kinds.js';
import { list, optional, required, withDefault } from '../schema/scalar-keys.js';
import { oneOf, seconds } from '../schema/scalar-kind.js';
import { tls } from './tls-schema.js';

const clientSecs = seconds(1, 3600);

const timeoutsShape = {
  'header-secs': withDefault(clientSecs, 60_000, '60', 'From the first octet of a head to its last.'),
  'body-secs': withDefault(
    clientSecs,
    60_000,
    '60',
    'Silence while a body is awaited, and while a client does not read its response.',
  ),
  'idle-secs': withDefault(clientSecs, 75_000, '75', 'Silence between two requests of a connection.'),
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
  'proxy-protocol': notYet('Read the PROXY protocol, version 1 and 2.'),
  'accept-client-cert-header': optional(
    headerName,
    'Header in which `trusted-proxies` bring the certificate of their client. Nobody else may.',
  ),
};
