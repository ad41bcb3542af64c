import type { AgentOptionProblem, OptionPlace } from '../../configuration/agent-option-problem.js';
import type { SocketAddress } from '../../configuration/network-addresses.js';
import { type HeaderUse, unfitHeader } from '../../configuration/schema/unfit-header.js';
import { canonicalName } from '../../http/canonical-name.js';
import { isToken } from '../../http/field-syntax.js';
import { utf8Length } from '../../shared/utf8.js';
import type { RequiredPath } from '../sessions/session-requirements.js';
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
import { claimOptions } from './claim-option-rules.js';
import { checkDocumentPaths } from './document-path-rules.js';
import { apiKeyEntries, basicUserEntries, type EntryFiles } from './entry-option-rules.js';
import type { IdentityTokenOptions } from './identity-token-block.js';
import { checkedIdentityToken } from './identity-token-rules.js';
import { enabledMtls } from './mtls-option-rules.js';
import type { OidcLoginOptions } from './oidc-login-options.js';
import { checkLoginPaths, enabledLogins } from './oidc-login-rules.js';
import { checkTokenCookies, enabledProviders } from './oidc-option-rules.js';
import type { OptionReport } from './option-report.js';
import { type ProofStoreOptions, type ProofStoreSources, proofStoreOptions } from './proof-store-rules.js';
import { looksLikePublicKey } from './public-key-text.js';
import { type ProtectedResource, protectedResources } from './resource-metadata-rules.js';
import { enabledSaml } from './saml-option-rules.js';
import type { MappedAttribute, SamlOptions } from './saml-options.js';
import { type SecretHeader, secretHeaders } from './secret-headers.js';
import { type AdminServingOptions, adminServing, checkServedPlaces, grpcServing } from './serving-option-rules.js';
import { enabledSessions } from './sessions-option-rules.js';
import type { SignOnSessionOptions } from './sessions-options.js';
import { requiredPaths } from './step-up-rules.js';
import type { TokenExchangeOptions } from './token-exchange-options.js';
import { enabledTokenExchange } from './token-exchange-rules.js';

/** Minimum octets of an HS256 secret (RFC 7518, section 3.2). */
const minimumHs256SecretBytes = 32;

/** The key and its algorithm; null without a key, or if they do not fit. */
const jwtOptions = (options: AgentOptions, error: OptionReport, warn: OptionReport): JwtOptions | null => {
  const { jwtSecret, jwtPublicKey } = options;
  const issuer = options.jwtIssuer ?? null;
  const audience = options.jwtAudience ?? null;
  const algorithm = options.jwtAlgorithm ?? agentDefaults.jwtAlgorithm;
  if (jwtSecret !== undefined && jwtPublicKey !== undefined) {
    error('jwt-public-key', 'jwt-secret and jwt-public-key cannot both be set: there is one key with one algorithm');
    return null;
  }
  if (jwtSecret !== undefined) {
    if (algorithm !== 'HS256') {
      error(
        'jwt-algorithm',
        `${algorithm} needs jwt-public-key, but jwt-secret is set`,
        'use HS256, or set jwt-public-key',
      );
    }
    if (looksLikePublicKey(jwtSecret.reveal())) {
      error(
        'jwt-secret',
        'the secret is a key or certificate in PEM, JSON or DER: anyone with the public key could sign tokens',
        'save it as a PEM file, set jwt-public-key to its path, and jwt-algorithm to the algorithm of the key, such as RS256 or ES256',
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
        'HS256 needs jwt-secret, but jwt-public-key is set',
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

/** The headers that receive properties of a user, and the key that names them. */
interface MappedHeaders {
  readonly option: AgentOptionName;
  readonly place: OptionPlace & { readonly key: string };
  readonly names: readonly string[];
}

/** The header names of an agent. */
interface HeaderNames {
  readonly userId: string;
  readonly authMethod: string;
  readonly secrets: readonly SecretHeader[];
  /** Null: client certificates are not read. */
  readonly clientCert: string | null;
  /** Null: there are no identity tokens. */
  readonly token: string | null;
  /** The headers that properties of users get. Several keys may name the same header. */
  readonly mapped: readonly MappedHeaders[];
}

interface NamedHeader {
  readonly key: string;
  readonly use: HeaderUse;
  readonly option: AgentOptionName;
  readonly name: string;
  readonly place?: OptionPlace;
}

/** Further headers that client certificates reserve: their fields, and the chain. */
const takenByCertificates = (clientCert: string): string[] => [
  'x-client-cert-cn',
  'x-client-cert-dn',
  ...(canonicalName(clientCert) === 'client-cert' ? ['client-cert-chain'] : []),
];

/** Adds the headers to `taken`: canonical names, and the keys that name them. */
const checkNamedHeaders = (headers: readonly NamedHeader[], taken: Map<string, string>, error: OptionReport): void => {
  for (const { key, option, use, name, place } of headers) {
    const canonical = canonicalName(name);
    const other = taken.get(canonical);
    const unfit = isToken(name) ? unfitHeader(use, name) : null;
    if (!isToken(name)) error(option, `"${name}" is not a header name`, undefined, place);
    else if (unfit !== null) error(option, `the header ${name} ${unfit}`, undefined, place);
    else if (other !== undefined) error(option, `${other} already uses the header ${name}`, undefined, place);
    taken.set(canonical, key);
  }
};

/** The headers that properties of users get. */
const mappedHeaders = ({ saml, oidcLogin = [], claimMapping = [] }: AgentOptions): readonly MappedHeaders[] => [
  ...(saml?.enabled === true
    ? [
        {
          option: 'saml' as const,
          place: { key: 'attribute-mapping' },
          names: saml.attributeMapping.map(({ header }) => header),
        },
      ]
    : []),
  ...oidcLogin.map(({ claimMapping }, block) => ({
    option: 'oidc-login' as const,
    place: { block, key: 'claim-mapping' },
    names: claimMapping.map(({ header }) => header),
  })),
  {
    option: 'claim-mapping',
    place: { key: 'claim-mapping' },
    names: claimMapping.map(({ header }) => header),
  },
];

/** Every header must be a valid name, fit its purpose, and have only one purpose. */
const checkHeaders = (names: HeaderNames, error: OptionReport): void => {
  const { userId, authMethod, secrets, clientCert, token, mapped } = names;
  const headers: NamedHeader[] = [
    { key: 'user-id-header', option: 'user-id-header', use: 'identity', name: userId },
    { key: 'auth-method-header', option: 'auth-method-header', use: 'identity', name: authMethod },
    ...secrets.map(({ option, name, place }) => ({
      key: place?.key ?? option,
      option,
      use: 'credential' as const,
      name,
      ...(place && { place }),
    })),
  ];
  const taken = new Map<string, string>();
  if (clientCert !== null) {
    headers.push({
      key: 'client-cert-header',
      option: 'mtls',
      use: 'certificate',
      name: clientCert,
      place: { key: 'client-cert-header' },
    });
    for (const name of takenByCertificates(clientCert)) taken.set(name, 'mtls');
  }
  if (token !== null) {
    const place = { key: 'header' };
    headers.push({ key: 'header of identity-token', option: 'identity-token', use: 'token', name: token, place });
  }
  checkNamedHeaders(headers, taken, error);
  for (const { option, place, names: ofWay } of mapped) {
    const ofUser = ofWay.map((name) => ({ key: place.key, option, use: 'attribute' as const, name, place }));
    checkNamedHeaders(ofUser, new Map(taken), error);
  }
};

/** The complete options: all checked, all defaults filled in. */
export interface CompleteAgentOptions {
  readonly socket: string;
  /** Null: gRPC is not served. */
  readonly grpc: GrpcServingOptions | null;
  /** Null: metrics go only to gateways. */
  readonly metricsAddress: SocketAddress | null;
  /** Null: no admin endpoints are served. */
  readonly admin: AdminServingOptions | null;
  /** Null: bearer tokens are not accepted. */
  readonly jwt: JwtOptions | null;
  readonly apiKeys: readonly ApiKey[];
  /** Null: no API keys, and no header for them, are configured; API keys are then no credential. */
  readonly apiKeyHeader: string | null;
  readonly basicUsers: readonly BasicUser[];
  readonly userIdHeader: string;
  readonly authMethodHeader: string;
  readonly failOpen: boolean;
  readonly forwardCredentials: CredentialForwarding;
  readonly tokenCacheSize: number;
  readonly maxClaimBytes: number;
  /** The claims that get a header `X-Auth-Claim-*`; null: all. */
  readonly forwardClaims: readonly string[] | null;
  /** For every method with claims. */
  readonly claimMapping: readonly MappedAttribute[];
  /** The header of the client certificate; also used for certificate-bound tokens without `mtls`. */
  readonly clientCertHeader: string;
  /** The enabled ones. */
  readonly oidc: readonly OidcProviderOptions[];
  /** Null: disabled. */
  readonly mtls: MtlsOptions | null;
  /** Null: disabled, so every authenticated request is allowed. */
  readonly authz: AuthzOptions | null;
  /** Null: disabled. */
  readonly saml: SamlOptions | null;
  /** The enabled ones. */
  readonly oidcLogins: readonly OidcLoginOptions[];
  /** Null: no way to sign on is enabled. */
  readonly sessions: SignOnSessionOptions | null;
  /** Null: no method reads access tokens. */
  readonly proofStore: ProofStoreOptions | null;
  /** The origins of other sites whose pages may change something with a credential in a cookie. */
  readonly trustedOrigins: readonly string[];
  /** What paths require of sessions. */
  readonly requiredPaths: readonly RequiredPath[];
  /** Null: disabled. */
  readonly tokenExchange: TokenExchangeOptions | null;
  /** Null: upstreams get no signed identity. */
  readonly identityToken: IdentityTokenOptions | null;
  /** The resources whose metadata is served. */
  readonly resources: readonly ProtectedResource[];
}

/** The result of checking the options. */
export interface CompletedAgentOptions {
  /** Null on an error. */
  readonly options: CompleteAgentOptions | null;
  readonly problems: readonly AgentOptionProblem[];
}

/** Whether options make the agent authenticate or authorize requests. */
export const isForRequests = (options: AgentOptions): boolean => {
  const { jwtSecret, jwtPublicKey, apiKeys, basicAuthUsers, oidc, oidcLogin, mtls, authz, saml, tokenExchange } =
    options;
  return [jwtSecret, jwtPublicKey, apiKeys, basicAuthUsers, oidc, oidcLogin, mtls, authz, saml, tokenExchange].some(
    (option) => option !== undefined,
  );
};

/** Whether any method is configured, valid or not. */
const namesMethod = (options: AgentOptions): boolean => {
  const { jwtSecret, jwtPublicKey, apiKeys = [], basicAuthUsers = [], oidc = [], oidcLogin = [], mtls, saml } = options;
  if (jwtSecret !== undefined || jwtPublicKey !== undefined || apiKeys.length + basicAuthUsers.length > 0) return true;
  if ([...oidc, ...oidcLogin].some(({ enabled }) => enabled)) return true;
  return mtls?.enabled === true || saml?.enabled === true;
};

/** The default header belongs to upstreams until API keys are configured. An empty list counts as none. */
const apiKeyHeader = ({ apiKeyHeader: given, apiKeys = [] }: AgentOptions): string | null =>
  given ?? (apiKeys.length > 0 ? agentDefaults.apiKeyHeader : null);

const forwarding = (value: boolean | undefined): CredentialForwarding => {
  if (value === undefined) return 'authorization';
  return value ? 'all' : 'none';
};

/** Checks the merged options against each other, and fills in the defaults. */
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

  const oidcLogins = enabledLogins(options.oidcLogin ?? [], error, warn);
  const methods = {
    jwt: jwtOptions(options, error, warn),
    oidc: enabledProviders(options.oidc ?? [], error, warn),
    saml: enabledSaml(options.saml, error, warn),
    oidcLogins,
    sessions: enabledSessions(options, oidcLogins, error, warn),
  };
  const tokenExchange = enabledTokenExchange(options.tokenExchange, methods, error, warn);
  const proofSources: ProofStoreSources = {
    block: options.sessions ?? null,
    sessions: methods.sessions,
    hasSignOn: options.saml !== undefined || oidcLogins.length > 0,
    readsTokens: methods.jwt !== null || methods.oidc.length > 0,
    readsCookies: methods.oidc.some(({ tokenCookie }) => tokenCookie !== null),
  };
  const complete: CompleteAgentOptions = {
    ...methods,
    proofStore: proofStoreOptions(proofSources, error, warn),
    trustedOrigins: methods.sessions?.trustedOrigins ?? options.sessions?.allowOrigins ?? [],
    requiredPaths: requiredPaths(options.sessions?.require ?? [], methods, error),
    socket: options.socket ?? agentDefaults.socket,
    grpc: grpcServing(options, error),
    metricsAddress: options.metricsAddress ?? null,
    admin: adminServing(options, error, warn),
    apiKeys: apiKeyEntries(options, files, error),
    apiKeyHeader: apiKeyHeader(options),
    basicUsers: basicUserEntries(options, files, error, warn),
    userIdHeader: options.userIdHeader ?? agentDefaults.userIdHeader,
    authMethodHeader: options.authMethodHeader ?? agentDefaults.authMethodHeader,
    failOpen: options.failOpen ?? agentDefaults.failOpen,
    forwardCredentials: forwarding(options.forwardCredentials),
    tokenCacheSize: options.tokenCacheSize ?? agentDefaults.tokenCacheSize,
    maxClaimBytes: options.maxClaimBytes ?? agentDefaults.maxClaimBytes,
    ...claimOptions(options, methods, error, warn),
    clientCertHeader: options.mtls?.clientCertHeader ?? agentDefaults.clientCertHeader,
    mtls: enabledMtls(options.mtls, error, warn),
    authz: enabledAuthz(options.authz, error, warn),
    tokenExchange,
    identityToken: checkedIdentityToken(options.identityToken, { ...methods, tokenExchange }, error, warn),
    resources: protectedResources(options.resourceMetadata ?? [], error, warn),
  };
  checkServedPlaces(options, error);
  checkLoginPaths(oidcLogins, complete, error);
  checkDocumentPaths(complete, error);
  const { userIdHeader: userId, authMethodHeader: authMethod } = complete;
  const mapped = mappedHeaders(options);
  const clientCert = options.mtls?.clientCertHeader ?? null;
  const secrets = secretHeaders({ apiKeyHeader: complete.apiKeyHeader, oidc: options.oidc ?? [] });
  const token = options.identityToken?.header ?? null;
  checkHeaders({ userId, authMethod, secrets, clientCert, token, mapped }, error);
  checkTokenCookies(options.oidc ?? [], complete.sessions, error);
  if (options.failOpen === true && !namesMethod(options)) {
    warn('fail-open', 'it has no effect without an authentication method: every request is refused');
  }
  const failed = problems.some((problem) => problem.severity === 'error');
  return { options: failed ? null : complete, problems };
};
