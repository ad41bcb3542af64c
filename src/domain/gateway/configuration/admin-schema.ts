import { socketAddress } from '../../configuration/schema/network-kinds.js';
import { list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, type ScalarFault, type ScalarKind, secret } from '../../configuration/schema/scalar-kind.js';
import { err, type Result } from '../../shared/result.js';
import type { Secret } from '../../shared/secret.js';

/** What `Authorization: Bearer` can carry (RFC 6750, section 2.1). */
const bearerToken: ScalarKind<Secret> = {
  ...secret,
  read: (scalar): Result<Secret, ScalarFault> => {
    const read = secret.read(scalar);
    if (!read.ok || /^[A-Za-z0-9._~+/-]+=*$/.test(read.value.reveal())) return read;
    return err({ message: 'must be made of letters, digits and - . _ ~ + / (and = at its end)' });
  },
};

export const adminShape = {
  address: withDefault(
    socketAddress(0),
    { host: '127.0.0.1', port: 9090 },
    '`127.0.0.1:9090`',
    'Where the admin endpoints are served.',
  ),
  token: optional(
    bearerToken,
    'Bearer token that a caller has to show. Required where the address is not a loopback one.',
  ),
  'insecure-no-token': withDefault(
    boolean,
    false,
    '`#false`',
    'Serve an address that others can reach without a token.',
  ),
  'ready-requires': list(
    oneOf(['upstreams', 'agents']),
    'What besides the gateway itself has to be well for /ready to answer 200.',
  ),
};
