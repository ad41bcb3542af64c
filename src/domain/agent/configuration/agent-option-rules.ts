import type { AgentOptionProblem, OptionPlace } from '../../configuration/agent-option-problem.js';
import type { SocketAddress } from '../../configuration/network-addresses.js';
import { type HeaderOption, unfitHeader } from '../../configuration/schema/unfit-header.js';
import { canonicalName } from '../../http/canonical-name.js';
import { isToken } from '../../http/field-syntax.js';
import type { Result } from '../../shared/result.js';
import { utf8Length } from '../../shared/utf8.js';
import { parseAllowedSan } from '../client-certificates/allowed-san.js';
import { parseDistinguishedName } from '../client-certificates/distinguished-name.js';
import {
  type ApiKey,
  type AuthzOptions,
  agentDefaults,
  type BasicUser,
  type CredentialForwarding,
  type GrpcServingOptions,
  type JwtOptions,
  type MtlsOptions,
  type OidcProviderOptions,
} from './agent-configuration.js';
import type { AgentOptionName, AgentOptions } from './agent-options-schema.js';
import { enabledAuthz } from './authz-option-rules.js';
import { apiKeyEntries, basicUserEntries, type EntryFiles } from './entry-option-rules.js';
import { enabledProviders } from './oidc-option-rules.js';
import type { OptionReport } from './option-report.js';
import { looksLikePublicKey } from './public-key-text.js';
import { enabledSaml } from './saml-option-rules.js';
import type { SamlOptions } from './saml-options.js';
import { checkServedPlaces, grpcServing } from './serving-option-rules.js';
import type { TokenExchangeOptions } from './token-exchange-options.js';
import { enabledTokenExchange } from './token-exchange-rules.js';

const checkList = (
  key: 'allowed-dns' | 'allowed-sans',
  texts: readonly string[],
  parse: (text: string) => Result<unknown, string>,
  error: OptionReport,
): void => {
  texts.forEach((text, index) => {
    const parsed = parse(text);
    if (!parsed.ok) error('mtls', `${key}: entry ${index + 1} ${parsed.error}`, undefined, { key });
  });
};

/** The older keys say the same in another way, so that only one of the two can hold. */
const checkUserIdFrom = ({ userIdFrom, ...mtls }: MtlsOptions, error: OptionReport): void => {
  if (userIdFrom.length === 0) return;
  const older = [
    ['extract-cn-as-user', mtls.extractCnAsUser],
    ['extract-san-email-as-user', mtls.extractSanEmailAsUser],
  ] as const;
  for (const [key, value] of older) {
    if (value === null) continue;
    error('mtls', `${key} and user-id-from cannot both be given`, `remove ${key}`, { key });
  }
  const twice = userIdFrom.find((kind, index) => userIdFrom.indexOf(kind) !== index);
  if (twice !== undefined) error('mtls', `user-id-from names "${twice}" twice`, undefined, { key: 'user-id-from' });
};

/** Checks the `mtls` block, but for its header; null where it is not enabled. */
const enabledMtls = (mtls: MtlsOptions | undefined, error: OptionReport, warn: OptionReport): MtlsOptions | null => {
  if (mtls === undefined) return null;
  checkList('allowed-dns', mtls.allowedDns, parseDistinguishedName, error);
  checkList('allowed-sans', mtls.allowedSans, parseAllowedSan, error);
  checkUserIdFrom(mtls, error);
  if (mtls.userIdFrom.length === 0 && mtls.extractCnAsUser === false && mtls.extractSanEmailAsUser !== true) {
    error(
      'mtls',
      'extract-cn-as-user and extract-san-email-as-user are both #false: a certificate would name no user',
      'set one of them to #true, or write user-id-from in their place',
      { key: 'extract-cn-as-user' },
    );
  }
  if (!mtls.enabled) {
    warn('mtls', 'it is not enabled: no client certificate is accepted', 'set enabled to #true', { key: 'enabled' });
    return null;
  }
  if (mtls.caCertPath === null) {
    warn(
      'mtls',
      'ca-cert-path is not given: every certificate in the header is believed, so nobody but a gateway that has verified it may be able to set the header',
    );
  }
  return mtls;
};

/** Octets that an HS256 secret has at least (RFC 7518, section 3.2). */
const minimumHs256SecretBytes = 32;

/** One key for one algorithm, or null where there is none or they do not fit. */
const jwtOptions = (options: AgentOptions, error: OptionReport, warn: OptionReport): JwtOptions | null => {
  const { jwtSecret, jwtPublicKey } = options;
  const issuer = options.jwtIssuer ?? null;
  const audience = options.jwtAudience ?? null;
  const algorithm = options.jwtAlgorithm ?? agentDefaults.jwtAlgorithm;
  if (jwtSecret !== undefined && jwtPublicKey !== undefined) {
    error(
      'jwt-public-key',
      'jwt-secret and jwt-public-key cannot both be given: one algorithm is accepted, with one key',
    );
    return null;
  }
  if (jwtSecret !== undefined) {
    if (algorithm !== 'HS256') {
      error(
        'jwt-algorithm',
        `${algorithm} needs jwt-public-key, but jwt-secret is given`,
        'use HS256, or give jwt-public-key',
      );
    }
    if (looksLikePublicKey(jwtSecret.reveal())) {
      error(
        'jwt-secret',
        'the secret is a key or certificate in PEM, JSON or DER: whoever has a public key could sign any token with it',
        'save it as a PEM file, and give its path as jwt-public-key with the jwt-algorithm of the key, such as RS256 or ES256',
      );
    }
    if (utf8Length(jwtSecret.reveal()) < minimumHs256SecretBytes) {
      error('jwt-secret', `the secret must have at least ${minimumHs256SecretBytes} bytes`);
    }
    return { key: { algorithm: 'HS256', secret: jwtSecret }, issuer, audience };
  }
  if (jwtPublicKey !== undefined) {
    if (algorithm === 'HS256') {
      error(
        options.jwtAlgorithm === undefined ? 'jwt-public-key' : 'jwt-algorithm',
        'HS256 needs jwt-secret, but jwt-public-key is given',
        'set jwt-algorithm to the algorithm of the key, such as RS256 or ES256',
      );
      return null;
    }
    return { key: { algorithm, publicKeyFile: jwtPublicKey }, issuer, audience };
  }
  const idle = (
    [
      ['jwt-algorithm', options.jwtAlgorithm],
      ['jwt-issuer', options.jwtIssuer],
      ['jwt-audience', options.jwtAudience],
    ] as const
  ).find(([, value]) => value !== undefined);
  if (idle !== undefined) warn(idle[0], `${idle[0]} has no effect without jwt-secret or jwt-public-key`);
  return null;
};

/** What the headers of an agent are called. */
interface HeaderNames {
  readonly userId: string;
  readonly authMethod: string;
  /** Null: no API key is read. */
  readonly apiKey: string | null;
  /** Null: no client certificate is read. */
  readonly clientCert: string | null;
  /** Those that receive attributes of single sign-on. */
  readonly mapped: readonly string[];
}

interface NamedHeader {
  readonly key: HeaderOption;
  readonly option: AgentOptionName;
  readonly name: string;
  readonly place?: OptionPlace;
}

/** Headers that client certificates take beside the one that is configured: what they tell, and what completes them. */
const takenByCertificates = (clientCert: string): string[] => [
  'x-client-cert-cn',
  'x-client-cert-dn',
  ...(canonicalName(clientCert) === 'client-cert' ? ['client-cert-chain'] : []),
];

/** Every header has to be one, fit for what it is used as, and be used for that alone. */
const checkHeaders = (names: HeaderNames, error: OptionReport): void => {
  const { userId, authMethod, apiKey, clientCert, mapped } = names;
  const headers: NamedHeader[] = [
    { key: 'user-id-header', option: 'user-id-header', name: userId },
    { key: 'auth-method-header', option: 'auth-method-header', name: authMethod },
  ];
  if (apiKey !== null) headers.push({ key: 'api-key-header', option: 'api-key-header', name: apiKey });
  const taken = new Map<string, string>();
  if (clientCert !== null) {
    headers.push({ key: 'client-cert-header', option: 'mtls', name: clientCert, place: { key: 'client-cert-header' } });
    for (const name of takenByCertificates(clientCert)) taken.set(name, 'mtls');
  }
  for (const name of mapped) {
    headers.push({ key: 'attribute-mapping', option: 'saml', name, place: { key: 'attribute-mapping' } });
  }
  for (const { key, option, name, place } of headers) {
    const canonical = canonicalName(name);
    const other = taken.get(canonical);
    const unfit = isToken(name) ? unfitHeader(key, name) : null;
    if (!isToken(name)) error(option, `"${name}" is no header name`, undefined, place);
    else if (unfit !== null) error(option, `the header ${name} ${unfit}`, undefined, place);
    else if (other !== undefined) error(option, `${other} names the header ${name} already`, undefined, place);
    taken.set(canonical, key);
  }
};

/** Everything the agent needs to run: every option checked, every default filled in. */
export interface CompleteAgentOptions {
  readonly socket: string;
  /** Null: gRPC is not served. */
  readonly grpc: GrpcServingOptions | null;
  /** Null: metrics go to gateways alone. */
  readonly metricsAddress: SocketAddress | null;
  /** Null: no bearer token is accepted. */
  readonly jwt: JwtOptions | null;
  readonly apiKeys: readonly ApiKey[];
  /** Null: no API keys are configured, and no header for them; none is a credential then. */
  readonly apiKeyHeader: string | null;
  readonly basicUsers: readonly BasicUser[];
  readonly userIdHeader: string;
  readonly authMethodHeader: string;
  readonly failOpen: boolean;
  readonly forwardCredentials: CredentialForwarding;
  readonly tokenCacheSize: number;
  readonly maxClaimBytes: number;
  /** Carries the certificate of the client: also for tokens that are bound to one, where `mtls` is not enabled. */
  readonly clientCertHeader: string;
  /** The enabled ones. */
  readonly oidc: readonly OidcProviderOptions[];
  /** Null: not enabled. */
  readonly mtls: MtlsOptions | null;
  /** Null: not enabled, and whoever is authenticated may do everything. */
  readonly authz: AuthzOptions | null;
  /** Null: not enabled. */
  readonly saml: SamlOptions | null;
  /** Null: not enabled. */
  readonly tokenExchange: TokenExchangeOptions | null;
}

/** What came of checking the options of an agent. */
export interface CompletedAgentOptions {
  /** Null where there was any error. */
  readonly options: CompleteAgentOptions | null;
  readonly problems: readonly AgentOptionProblem[];
}

/** Whether any method is configured, be it well or badly. */
const namesMethod = (options: AgentOptions): boolean => {
  const { jwtSecret, jwtPublicKey, apiKeys = [], basicAuthUsers = [], oidc = [], mtls, saml } = options;
  if (jwtSecret !== undefined || jwtPublicKey !== undefined || apiKeys.length + basicAuthUsers.length > 0) return true;
  return oidc.some(({ enabled }) => enabled) || mtls?.enabled === true || saml?.enabled === true;
};

/**
 * The default belongs to upstreams of their own keys, until keys are configured here; a list that is empty now
 * counts.
 */
const apiKeyHeader = ({ apiKeyHeader: given, apiKeys = [] }: AgentOptions): string | null =>
  given ?? (apiKeys.length > 0 ? agentDefaults.apiKeyHeader : null);

const forwarding = (value: boolean | undefined): CredentialForwarding => {
  if (value === undefined) return 'authorization';
  return value ? 'all' : 'none';
};

/** Checks the merged options against each other and fills in the defaults. */
export const completeAgentOptions = (options: AgentOptions, files: EntryFiles): CompletedAgentOptions => {
  const problems: AgentOptionProblem[] = [];
  const reporter =
    (severity: 'error' | 'warning'): OptionReport =>
    (option, message, suggestion, place, id) =>
      problems.push({
        severity,
        option,
        message,
        suggestion: suggestion ?? null,
        ...(place && { place }),
        ...(id !== undefined && { id }),
      });
  const error = reporter('error');
  const warn = reporter('warning');

  const methods = {
    jwt: jwtOptions(options, error, warn),
    oidc: enabledProviders(options.oidc ?? [], error, warn),
    saml: enabledSaml(options.saml, error, warn),
  };
  const complete: CompleteAgentOptions = {
    ...methods,
    socket: options.socket ?? agentDefaults.socket,
    grpc: grpcServing(options, error),
    metricsAddress: options.metricsAddress ?? null,
    apiKeys: apiKeyEntries(options, files, error),
    apiKeyHeader: apiKeyHeader(options),
    basicUsers: basicUserEntries(options, files, error, warn),
    userIdHeader: options.userIdHeader ?? agentDefaults.userIdHeader,
    authMethodHeader: options.authMethodHeader ?? agentDefaults.authMethodHeader,
    failOpen: options.failOpen ?? agentDefaults.failOpen,
    forwardCredentials: forwarding(options.forwardCredentials),
    tokenCacheSize: options.tokenCacheSize ?? agentDefaults.tokenCacheSize,
    maxClaimBytes: options.maxClaimBytes ?? agentDefaults.maxClaimBytes,
    clientCertHeader: options.mtls?.clientCertHeader ?? agentDefaults.clientCertHeader,
    mtls: enabledMtls(options.mtls, error, warn),
    authz: enabledAuthz(options.authz, error, warn),
    tokenExchange: enabledTokenExchange(options.tokenExchange, methods, error, warn),
  };
  checkServedPlaces(options, error);
  const { userIdHeader: userId, authMethodHeader: authMethod, apiKeyHeader: apiKey, saml } = complete;
  const mapped = saml?.attributeMapping.map(({ header }) => header) ?? [];
  checkHeaders({ userId, authMethod, apiKey, clientCert: options.mtls?.clientCertHeader ?? null, mapped }, error);
  if (options.failOpen === true && !namesMethod(options)) {
    warn('fail-open', 'it has no effect while no authentication method is configured: every request is refused');
  }
  const failed = problems.some((problem) => problem.severity === 'error');
  return { options: failed ? null : complete, problems };
};
