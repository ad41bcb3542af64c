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

const examples = `
Commands, each with a --help of its own:
  gateway-auth policy         check, test and explain policies
  gateway-auth saml           write the metadata of the service provider
  gateway-auth sessions       list, show and revoke sessions of single sign-on
  gateway-auth hash-password  hash a password for basic-auth-users
  gateway-auth hash-key       hash an API key for api-keys, or make a new one

Lists have their entries separated by commas; \\, is a comma, and @FILE names a file with one entry a line. A list flag may
be repeated: the entries of each are read on their own.
A key entry splits at its last colon, a user entry at its first.

Examples:
  API_KEYS=s3cret-key:reports gateway-auth                       accept one API key, whose user id is "reports"
  API_KEYS=@/run/secrets/keys gateway-auth --socket /run/a.sock  keys from a file, another socket
  JWT_SECRET=... gateway-auth --jwt-issuer https://id.example    HS256 tokens of one issuer
  gateway-auth --jwt-algorithm RS256 --jwt-public-key key.pem    RS256 tokens
  gateway-auth --config gateway.kdl --agent auth                 the options of an agent block of the gateway's file
  gateway-auth --config gateway.kdl --agent auth --test          load everything, report, and end

Environment:
  Each option has a variable, named beside it. A flag wins over its variable, a variable over the config block. Prefer
  variables and files for secrets: arguments can be seen by everyone on the machine.
  GATEWAY_LOG_FORMAT  json (default) or pretty
  RUST_LOG            error, warn, info (default), debug, trace or off

A gateway that connects hands its agent block's config over; an option given here wins over the same option there.

Signals:
  SIGHUP              read keys, lists, policies, and what gRPC is served with again from their files;
                      a bad one changes nothing
  SIGTERM, SIGINT     finish what is in flight, then end; a second one ends at once

Exit codes:
  0  fine
  1  the configuration has errors, or the start failed
  2  wrong usage
`;

export const agentProgram = (version: string, print: (text: string) => void): Command => {
  const program = newProgram('gateway-auth', '[options] | policy | saml | sessions | hash-password | hash-key', print)
    .description('Portcullis: the authentication agent. Says who makes a request, or that it must not pass.')
    .version(`gateway-auth ${version}`, '--version', 'print the version and end')
    .addHelpText('after', examples);
  for (const { option, value, variable, meaning } of agentOptionFlags) {
    program.addOption(valueFlag(`--${option} ${value}`, `${meaning}; or ${variable}`));
  }
  return withAgentBlock(program, "the gateway's configuration, for an agent block in it")
    .option('--test', 'load everything, report every problem, and end')
    .option('--validate', 'the same as --test: an agent loads all that its options refer to')
    .option('--verbose', 'log at debug level, where RUST_LOG does not say otherwise');
};
