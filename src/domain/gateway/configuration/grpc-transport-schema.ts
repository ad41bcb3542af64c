import { optionalBlock } from '../../configuration/schema/block-keys.js';
import { grpcAddress, keyFilePath, pemFilePath } from '../../configuration/schema/grpc-address.js';
import { serverName } from '../../configuration/schema/network-kinds.js';
import { optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';

const agentTlsShape = {
  'ca-cert-file': optional(
    pemFilePath,
    'Path of a PEM file: the authorities that the certificate of the agent has to lead to. Without it: those that Node.js knows.',
  ),
  'cert-file': optional(
    pemFilePath,
    'Path of a PEM file: the certificate that the gateway shows, then the intermediates that lead to its root.',
  ),
  'key-file': optional(keyFilePath, 'Path of a PEM file: the private key of the certificate, without a pass phrase.'),
  'server-name': optional(
    serverName,
    'The name that the certificate of the agent has to be for. Without it: the host of the address.',
  ),
};

/** How an agent is reached by gRPC. */
export const grpcShape = {
  address: required(grpcAddress(1), 'Where the agent listens.'),
  tls: optionalBlock(
    agentTlsShape,
    'TLS to the agent. An empty block does. Needed for an address that is not a loopback one, unless `insecure` says otherwise.',
  ),
  insecure: withDefault(
    boolean,
    false,
    '`#false`',
    'Send requests, and the credentials in them, in the clear to an address that is not a loopback one.',
  ),
};

export type GrpcFields = Fields<typeof grpcShape>;
