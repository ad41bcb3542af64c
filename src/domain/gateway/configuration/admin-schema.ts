import { socketAddress } from '../../configuration/schema/network-kinds.js';
import { list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, type ScalarFault, type ScalarKind, secret } from '../../configuration/schema/scalar-kind.js';
import { err, type Result } from '../../shared/result.js';
import type { Secret } from '../../shared/secret.js';

/** The syntax of a bearer token: b64token (RFC 6750, section 2.1). */
const bearerToken: ScalarKind<Secret> = {
  ...secret,
  read: (scalar): Result<Secret, ScalarFault> => {
    const read = secret.read(scalar);
    if (!read.ok || /^[A-Za-z0-9._~+/-]+=*$/.test(read.value.reveal())) return read;
    return err({ message: 'must contain only letters, digits and - . _ ~ + / (= only at the end)' });
  },
};

export const adminShape = {
  address: withDefault(
    socketAddress(0),
    { host: '127.0.0.1', port: 9090 },
    '`127.0.0.1:9090`',
    'Address of the admin endpoints.',
  ),
  token: optional(
    bearerToken,
    'Bearer token that callers must send. Required unless the address is a loopback address.',
  ),
  'insecure-no-token': withDefault(
    boolean,
    false,
    '`#false`',
    'Serve the admin endpoints without a token on an address that is not a loopback address.',
  ),
  'ready-requires': list(
    oneOf(['upstreams', 'agents']),
    'What must be healthy, besides the gateway, before `/ready` answers 200.',
  ),
};
