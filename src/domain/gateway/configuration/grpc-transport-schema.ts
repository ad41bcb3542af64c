import { optionalBlock } from '../../configuration/schema/block-keys.js';
import { grpcAddress, keyFilePath, pemFilePath } from '../../configuration/schema/grpc-address.js';
import { serverName } from '../../configuration/schema/network-kinds.js';
import { optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';

const agentTlsShape = {
  'ca-cert-file': optional(
    pemFilePath,
    "PEM file of the CAs that verify the agent's certificate. Without it: the CAs built into Node.js.",
  ),
  'cert-file': optional(
    pemFilePath,
    'PEM file of the client certificate that the gateway presents, followed by its intermediates.',
  ),
  'key-file': optional(keyFilePath, 'PEM file of the private key of `cert-file`, without a passphrase.'),
  'server-name': optional(
    serverName,
    "Name that the agent's certificate must contain. Without it: the host of `address`.",
  ),
};

/** The block `grpc` of a transport. */
export const grpcShape = {
  address: required(grpcAddress(1), 'Address of the agent: `host:port` or `unix:/path`.'),
  tls: optionalBlock(
    agentTlsShape,
    'Use TLS to the agent; an empty block suffices. Required without `insecure` unless the address is local.',
  ),
  insecure: withDefault(
    boolean,
    false,
    '`#false`',
    'Send requests, with their credentials, in plaintext to an address that is not a loopback address.',
  ),
};

export type GrpcFields = Fields<typeof grpcShape>;
