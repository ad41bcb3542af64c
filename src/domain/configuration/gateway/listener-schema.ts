import { notYet, notYetBlock } from '../schema/block-keys.js';
import { cidr, socketAddress } from '../schema/network-kinds.js';
import { list, required, withDefault } from '../schema/scalar-keys.js';
import { oneOf } from '../schema/scalar-kind.js';

export const listenerShape = {
  address: required(socketAddress(0), 'Where it listens. Port 0 takes a free port.'),
  protocol: withDefault(oneOf(['http'], ['https']), 'http', '`http`', 'What it speaks.'),
  'trusted-proxies': list(
    cidr,
    'Peers whose `X-Forwarded-*` and `Forwarded` headers are believed. Everybody else brings none.',
  ),
  tls: notYetBlock('Certificate and client authentication of an `https` listener.', [
    'cert-file',
    'key-file',
    'client-auth',
    'ca-cert-file',
    'forward-client-cert-header',
    'min-version',
  ]),
  'proxy-protocol': notYet('Read the PROXY protocol, version 1 and 2.'),
  'accept-client-cert-header': notYet('Header in which a trusted proxy brings the certificate of a client.'),
};
