import type { Command } from 'commander';
import type { AgentOptionName } from '../../../domain/agent/configuration/agent-options-schema.js';
import { newProgram, valueFlag, withAgentBlock } from '../../command-line/program.js';

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
  flag('sockets', 'SOCKET_LAYER', '<name>', 'socket layer of that socket: auto (default), native or node'),
  flag('grpc-address', 'GRPC_ADDRESS', '<address>', 'also serve gRPC on host:port or unix:/path'),
  flag('grpc-tls-cert-file', 'GRPC_TLS_CERT_FILE', '<file>', 'PEM certificate of the gRPC server'),
  flag('grpc-tls-key-file', 'GRPC_TLS_KEY_FILE', '<file>', 'PEM private key of that certificate'),
  flag('grpc-client-ca-file', 'GRPC_CLIENT_CA_FILE', '<file>', 'PEM CAs; gateways must then present a certificate'),
  flag('grpc-insecure', 'GRPC_INSECURE', '[bool]', 'serve gRPC without TLS on an address that others can reach'),
  flag('metrics-address', 'METRICS_ADDRESS', '<host:port>', 'serve metrics of the agent at GET /metrics'),
  flag('admin-address', 'AGENT_ADMIN_ADDRESS', '<address>', 'serve /admin/sessions on host:port or unix:/path'),
  flag('admin-token', 'AGENT_ADMIN_TOKEN', '<token>', 'bearer token for --admin-address', true),
  flag('health-interval-secs', 'HEALTH_INTERVAL_SECS', '<secs>', 'interval of health reports to gateways (default: 5)'),
  flag(
    'metrics-interval-secs',
    'METRICS_INTERVAL_SECS',
    '<secs>',
    'interval of metrics reports to gateways (default: 10)',
  ),
  flag('jwt-secret', 'JWT_SECRET', '<secret>', 'shared secret for HS256, at least 32 bytes', true),
  flag('jwt-public-key', 'JWT_PUBLIC_KEY', '<file>', 'PEM public key, for all algorithms except HS256'),
  flag(
    'jwt-algorithm',
    'JWT_ALGORITHM',
    '<name>',
    'HS256, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or EdDSA (default: HS256)',
  ),
  flag('jwt-issuer', 'JWT_ISSUER', '<text>', 'required value of the claim iss'),
  flag('jwt-audience', 'JWT_AUDIENCE', '<text>', 'audience that the claim aud must contain'),
  flag('api-keys', 'API_KEYS', '<list>', 'entries <key>:<name>, or @FILE', true),
  flag('api-key-header', 'API_KEY_HEADER', '<name>', 'header with the API key (default: X-API-Key)'),
  flag('basic-auth-users', 'BASIC_AUTH_USERS', '<list>', 'entries <user>:<password>, or @FILE', true),
  flag('user-id-header', 'USER_ID_HEADER', '<name>', 'header for the user id (default: X-User-Id)'),
  flag('auth-method-header', 'AUTH_METHOD_HEADER', '<name>', 'header for the method (default: X-Auth-Method)'),
  flag('fail-open', 'FAIL_OPEN', '[bool]', 'accept requests without a valid credential, without an identity'),
  flag(
    'forward-credentials',
    'FORWARD_CREDENTIALS',
    '[bool]',
    'true: forward all credentials to the upstream; false: none',
  ),
  flag('token-cache-size', 'TOKEN_CACHE_SIZE', '<count>', 'verified tokens to cache, 0: none (default: 10000)'),
  flag('max-claim-bytes', 'MAX_CLAIM_BYTES', '<count>', 'bytes of the header of one claim (default: 2048)'),
];

const examples = `
Commands; each has its own --help:
  gateway-auth policy         check, test and explain policies
  gateway-auth saml           write the metadata of the service provider
  gateway-auth sessions       list, show and revoke single sign-on sessions
  gateway-auth hash-password  hash a password for basic-auth-users
  gateway-auth hash-key       hash or generate an API key for api-keys

Entries of lists are separated by commas. Write \\, for a literal comma, and @FILE for a file with one entry per line. List
flags are repeatable; each value is split separately.
A key entry splits at its last colon, a user entry at its first.

Examples:
  API_KEYS=s3cret-key:reports gateway-auth                       accept one API key, with the user id "reports"
  API_KEYS=@/run/secrets/keys gateway-auth --socket /run/a.sock  keys from a file, another socket
  JWT_SECRET=... gateway-auth --jwt-issuer https://id.example    HS256 tokens of one issuer
  gateway-auth --jwt-algorithm RS256 --jwt-public-key key.pem    RS256 tokens
  gateway-auth --config gateway.kdl --agent auth                 options of an agent block of the gateway's file
  gateway-auth --config gateway.kdl --agent auth --test          check everything, report problems, and exit

Environment:
  Each option has a variable, shown beside it. A flag overrides its variable; a variable overrides the config block. Use
  variables and files for secrets: every user of the host can see arguments.
  GATEWAY_LOG_FORMAT  json (default) or pretty
  RUST_LOG            error, warn, info (default), debug, trace or off

A connecting gateway sends the config of its agent block. Options given here override it.

Signals:
  SIGHUP              reload keys, lists, policies and gRPC certificates from their files;
                      if a file has errors, nothing changes
  SIGTERM, SIGINT     finish requests in flight, then exit; a second signal exits at once

Exit codes:
  0  success
  1  the configuration has errors, or the start failed
  2  wrong usage
`;

export const agentProgram = (version: string, print: (text: string) => void): Command => {
  const program = newProgram('gateway-auth', '[options] | policy | saml | sessions | hash-password | hash-key', print)
    .description('Portcullis: the auth agent. Identifies callers, and allows or refuses requests.')
    .version(`gateway-auth ${version}`, '--version', 'print the version and exit; with --verbose more of it')
    .addHelpText('after', examples);
  for (const { option, value, variable, meaning } of agentOptionFlags) {
    program.addOption(valueFlag(`--${option} ${value}`, `${meaning}; or ${variable}`));
  }
  return withAgentBlock(program, 'configuration of the gateway, which contains the agent block')
    .option('--test', 'check everything, report all problems, and exit')
    .option('--validate', 'the same as --test')
    .option('--verbose', 'log at debug level, unless RUST_LOG is set');
};
