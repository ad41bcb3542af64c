import type { Secret } from '../shared/secret.js';

export const jwtAlgorithms = ['HS256', 'RS256', 'ES256'] as const;
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** One piece of a list of keys or users: an entry as it was written, or a file that holds one entry a line. */
export type EntrySource =
  | { readonly kind: 'entry'; readonly text: Secret }
  | { readonly kind: 'file'; readonly path: string };

/**
 * The agent's options as one source (flags, environment, config block) gives them. An option the source does not name is
 * absent, so sources merge by spreading: `{ ...configBlock, ...environment, ...flags }`.
 */
export interface AgentOptions {
  /** Path of the unix socket to serve. */
  readonly socket?: string;
  /** Between two health reports to gateways, in milliseconds. */
  readonly healthIntervalMs?: number;
  /** Between two metrics reports to gateways, in milliseconds. */
  readonly metricsIntervalMs?: number;
  /** Shared secret for HS256. */
  readonly jwtSecret?: Secret;
  /** Path of a PEM file, for RS256 and ES256. */
  readonly jwtPublicKey?: string;
  readonly jwtAlgorithm?: JwtAlgorithm;
  readonly jwtIssuer?: string;
  readonly jwtAudience?: string;
  /** Entries `<key>:<name>`, split at the last colon. */
  readonly apiKeys?: readonly EntrySource[];
  readonly apiKeyHeader?: string;
  /** Entries `<user>:<password>`, split at the first colon. */
  readonly basicAuthUsers?: readonly EntrySource[];
  readonly userIdHeader?: string;
  readonly authMethodHeader?: string;
  readonly failOpen?: boolean;
  /** True: every credential goes on to the upstream; false: none does; absent: Authorization does, the API key does not. */
  readonly forwardCredentials?: boolean;
}

export type JwtKey =
  | { readonly algorithm: 'HS256'; readonly secret: Secret }
  | { readonly algorithm: 'RS256' | 'ES256'; readonly publicKeyFile: string };

export interface JwtOptions {
  readonly key: JwtKey;
  /** Null: not checked. */
  readonly issuer: string | null;
  /** Null: not checked. */
  readonly audience: string | null;
}

export interface ApiKey {
  readonly key: Secret;
  /** The user id it stands for. */
  readonly name: string;
}

export interface BasicUser {
  readonly user: string;
  readonly password: Secret;
}

/** Which of the credentials that were presented the upstream sees. */
export type CredentialForwarding = 'all' | 'authorization' | 'none';

/** Everything the agent needs to run: every option checked, every default filled in. */
export interface CompleteAgentOptions {
  readonly socket: string;
  /** Null: no bearer token is accepted. */
  readonly jwt: JwtOptions | null;
  readonly apiKeys: readonly ApiKey[];
  readonly apiKeyHeader: string;
  readonly basicUsers: readonly BasicUser[];
  readonly userIdHeader: string;
  readonly authMethodHeader: string;
  readonly failOpen: boolean;
  readonly forwardCredentials: CredentialForwarding;
}

export const agentDefaults = {
  socket: '/tmp/gateway-auth.sock',
  healthIntervalMs: 5_000,
  metricsIntervalMs: 10_000,
  jwtAlgorithm: 'HS256',
  apiKeyHeader: 'X-API-Key',
  userIdHeader: 'X-User-Id',
  authMethodHeader: 'X-Auth-Method',
  failOpen: false,
} as const;

/** The options by the names that flags and the config block give them. */
export const agentOptionNames = [
  'socket',
  'grpc-address',
  'metrics-address',
  'health-interval-secs',
  'metrics-interval-secs',
  'jwt-secret',
  'jwt-public-key',
  'jwt-algorithm',
  'jwt-issuer',
  'jwt-audience',
  'api-keys',
  'api-key-header',
  'basic-auth-users',
  'user-id-header',
  'auth-method-header',
  'fail-open',
  'forward-credentials',
] as const;
export type AgentOptionName = (typeof agentOptionNames)[number];

/** Something wrong with an option, whichever source it came from. Its text never holds a secret. */
export interface AgentOptionProblem {
  readonly severity: 'error' | 'warning';
  readonly option: AgentOptionName;
  readonly message: string;
  readonly suggestion: string | null;
}
