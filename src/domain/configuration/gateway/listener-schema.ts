import { notYet } from '../schema/block-keys.js';
import { cidr, headerName, socketAddress } from '../schema/network-kinds.js';
import { list, optional, required, withDefault } from '../schema/scalar-keys.js';
import { oneOf } from '../schema/scalar-kind.js';
import { tls } from './tls-schema.js';

export const listenerShape = {
  address: required(socketAddress(0), 'Where it listens. Port 0 takes a free port.'),
  protocol: withDefault(oneOf(['http', 'https']), 'http', '`http`', 'What it speaks. `https` needs `tls`.'),
  'trusted-proxies': list(
    cidr,
    'Peers whose `X-Forwarded-*` and `Forwarded` headers are believed. Everybody else brings none.',
  ),
  tls,
  'proxy-protocol': notYet('Read the PROXY protocol, version 1 and 2.'),
  'accept-client-cert-header': optional(
    headerName,
    'Header in which `trusted-proxies` bring the certificate of their client. Nobody else may.',
  ),
};
