import type { AgentOptionName } from '../../../domain/configuration/agent-option-problem.js';

/** How an option is given on the command line and in the environment. */
export interface AgentOptionFlag {
  readonly option: AgentOptionName;
  readonly variable: string;
  /** What commander shows and parses behind the flag. */
  readonly value: string;
  readonly meaning: string;
  readonly secret: boolean;
}

const flag = (
  option: AgentOptionName,
  variable: string,
  value: string,
  meaning: string,
  secret = false,
): AgentOptionFlag => ({
  option,
  variable,
  value,
  meaning,
  secret,
});

export const agentOptionFlags: readonly AgentOptionFlag[] = [
  flag('socket', 'AGENT_SOCKET', '<path>', 'unix socket to serve (default: /tmp/gateway-auth.sock)'),
  flag('grpc-address', 'GRPC_ADDRESS', '<address>', 'also serve gRPC on host:port, or on unix:/path'),
  flag('grpc-tls-cert-file', 'GRPC_TLS_CERT_FILE', '<file>', 'certificate in PEM to serve gRPC with'),
  flag('grpc-tls-key-file', 'GRPC_TLS_KEY_FILE', '<file>', 'its private key in PEM'),
  flag('grpc-client-ca-file', 'GRPC_CLIENT_CA_FILE', '<file>', 'authorities in PEM; gateways must show a certificate'),
  flag('grpc-insecure', 'GRPC_INSECURE', '[bool]', 'serve gRPC in the clear where others can reach it'),
  flag('metrics-address', 'METRICS_ADDRESS', '<host:port>', 'serve its own metrics there, as GET /metrics'),
  flag('health-interval-secs', 'HEALTH_INTERVAL_SECS', '<secs>', 'how often gateways are told its health (default: 5)'),
  flag('metrics-interval-secs', 'METRICS_INTERVAL_SECS', '<secs>', 'how often they get its metrics (default: 10)'),
  flag('jwt-secret', 'JWT_SECRET', '<secret>', 'shared secret for HS256, at least 32 bytes', true),
  flag('jwt-public-key', 'JWT_PUBLIC_KEY', '<file>', 'public key in PEM, for every algorithm but HS256'),
  flag(
    'jwt-algorithm',
    'JWT_ALGORITHM',
    '<name>',
    'HS256, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or EdDSA (default: HS256)',
  ),
  flag('jwt-issuer', 'JWT_ISSUER', '<text>', 'what the claim iss has to be'),
  flag('jwt-audience', 'JWT_AUDIENCE', '<text>', 'what the claim aud has to name'),
  flag('api-keys', 'API_KEYS', '<list>', 'entries <key>:<name>, or @FILE', true),
  flag('api-key-header', 'API_KEY_HEADER', '<name>', 'header that carries the key (default: X-API-Key)'),
  flag('basic-auth-users', 'BASIC_AUTH_USERS', '<list>', 'entries <user>:<password>, or @FILE', true),
  flag('user-id-header', 'USER_ID_HEADER', '<name>', 'header for the user id (default: X-User-Id)'),
  flag('auth-method-header', 'AUTH_METHOD_HEADER', '<name>', 'header for the method (default: X-Auth-Method)'),
  flag('fail-open', 'FAIL_OPEN', '[bool]', 'let requests without a valid credential pass, without an identity'),
  flag('forward-credentials', 'FORWARD_CREDENTIALS', '[bool]', 'true: the upstream sees every credential; false: none'),
  flag('token-cache-size', 'TOKEN_CACHE_SIZE', '<count>', 'verified tokens to remember, 0: none (default: 10000)'),
  flag('max-claim-bytes', 'MAX_CLAIM_BYTES', '<count>', 'octets of the header of one claim (default: 2048)'),
];
