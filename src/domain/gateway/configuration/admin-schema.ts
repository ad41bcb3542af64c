import { adminToken } from '../../configuration/schema/admin-token.js';
import { socketAddress } from '../../configuration/schema/network-kinds.js';
import { list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf } from '../../configuration/schema/scalar-kind.js';

export const adminShape = {
  address: withDefault(
    socketAddress(0),
    { host: '127.0.0.1', port: 9090 },
    '`127.0.0.1:9090`',
    'Address of the admin endpoints.',
  ),
  token: optional(
    adminToken,
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
