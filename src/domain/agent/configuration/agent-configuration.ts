import type { CertificateFiles, GrpcAddress } from '../../configuration/network-addresses.js';
import { identityTokenHeader } from '../../http/owned-headers.js';
import type { Secret } from '../../shared/secret.js';
import type { UserIdKind } from '../client-certificates/certificate-user.js';
import type { PasswordHash } from '../identity/password-hash-rules.js';
import { type AsymmetricAlgorithm, asymmetricAlgorithms } from '../tokens/signature-algorithm.js';

export const jwtAlgorithms = ['HS256', ...asymmetricAlgorithms] as const;
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** An item of a list of keys or users: an entry, or a file with one entry per line. */
export type EntrySource =
  | { readonly kind: 'entry'; readonly text: Secret }
  | { readonly kind: 'file'; readonly path: string };

/** An `oidc` block: a provider whose access tokens are accepted. */
export interface OidcProviderOptions {
  /** The name in logs and messages; null if the block has none. */
  readonly name: string | null;
  readonly enabled: boolean;
  /** The required `iss`. With tenants, `{tenantid}` stands for each of them. */
  readonly issuer: string;
  /** Tenant ids for `{tenantid}`, one issuer each; empty: the issuer is literal. */
  readonly tenants: readonly string[];
  /** Null: from the discovery document of the issuer. */
  readonly jwksUrl: string | null;
  /** A header, besides Authorization, with tokens of this provider; null: none. */
  readonly tokenHeader: string | null;
  /** A cookie with tokens of this provider; null: none. */
  readonly tokenCookie: string | null;
  /** For tokens that are no JWT; null: they are refused. */
  readonly introspection: IntrospectionOptions | null;
  /** `aud` must contain one of them; empty: not checked. */
  readonly audiences: readonly string[];
  /** Accepted signature algorithms, also for keys without `alg`; null: the algorithm of the key. */
  readonly algorithms: readonly AsymmetricAlgorithm[] | null;
  /** The proof that every token needs; null: only tokens that are bound to a key. */
  readonly requiredProof: 'dpop' | null;
  readonly requiredScopes: readonly string[];
  readonly jwksRefreshMs: number;
  readonly clockSkewMs: number;
}

/** The endpoint that a provider is asked about opaque tokens (RFC 7662). */
export interface IntrospectionOptions {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** How long an active token is accepted without another question; 0: not at all. */
  readonly cacheMs: number;
}

/** The `mtls` block. */
export interface MtlsOptions {
  readonly enabled: boolean;
  readonly clientCertHeader: string;
  /** Path of a PEM file with the authorities. Null: the component that sets the header checks the chain. */
  readonly caCertPath: string | null;
  /** Paths of certificate revocation lists. */
  readonly crlFiles: readonly string[];
  /** Distinguished names as text (RFC 4514). */
  readonly allowedDns: readonly string[];
  readonly allowedSans: readonly string[];
  /** The kinds of names to use as user id, in this order; empty: the two `extract` options decide. */
  readonly userIdFrom: readonly UserIdKind[];
  /** Null: not set, which means true. */
  readonly extractCnAsUser: boolean | null;
  /** Null: not set, which means false. */
  readonly extractSanEmailAsUser: boolean | null;
}

/** The `authz` block. */
export interface AuthzOptions {
  readonly enabled: boolean;
  /** Paths of policy files, or of folders with them. */
  readonly policyFiles: readonly string[];
  /** Policy texts. */
  readonly inlinePolicies: readonly string[];
  /** The decision if no policy applies. */
  readonly defaultDecision: 'allow' | 'deny';
  /** The effect of a forbid policy that cannot be evaluated. */
  readonly onError: 'deny' | 'skip';
  /** The claim of a token that names its user. */
  readonly principalClaim: string;
  /** The claim with the roles, a dotted path; null: no roles. */
  readonly rolesClaim: string | null;
  /** Whether a policy that can never match is an error. */
  readonly strictPolicies: boolean;
  /** Like `policyFiles`; evaluated but not enforced. */
  readonly shadowPolicyFiles: readonly string[];
  readonly templateLinks: readonly TemplateLinkOptions[];
}

/** A `template-link` block: a policy made from a template. */
export interface TemplateLinkOptions {
  /** The id of the policy. */
  readonly id: string;
  /** The id of the template. */
  readonly template: string;
  /** The entity for `?principal`, as in `Role::"admin"`; null: the template has no such slot. */
  readonly principal: string | null;
  /** The entity for `?resource`. */
  readonly resource: string | null;
}

export type JwtKey =
  | { readonly algorithm: 'HS256'; readonly secret: Secret }
  | { readonly algorithm: AsymmetricAlgorithm; readonly publicKeyFile: string };

export interface JwtOptions {
  readonly key: JwtKey;
  /** Null: not checked. */
  readonly issuer: string | null;
  /** Null: not checked. */
  readonly audience: string | null;
}

export interface ApiKey {
  /** The key, or its SHA-256. */
  readonly key: ApiKeySecret;
  /** The user id of the key. */
  readonly name: string;
}

export type ApiKeySecret =
  | { readonly kind: 'plain'; readonly text: Secret }
  /** In lower-case hexadecimal. */
  | { readonly kind: 'sha256'; readonly digest: Secret };

export interface BasicUser {
  readonly user: string;
  readonly password: { readonly kind: 'plain'; readonly text: Secret } | PasswordHash;
}

/** Which credentials are forwarded to the upstream. */
export type CredentialForwarding = 'all' | 'authorization' | 'none';

/** The gRPC server of the agent. */
export interface GrpcServingOptions {
  readonly address: GrpcAddress;
  /** Null: no TLS. */
  readonly tls: {
    readonly certificate: CertificateFiles;
    /**
     * Path of a PEM file with authorities: gateways must present a certificate from one of them; null: no client
     * certificates.
     */
    readonly clientCaFile: string | null;
  } | null;
}

export const agentDefaults = {
  socket: '/tmp/gateway-auth.sock',
  sockets: 'auto',
  healthIntervalMs: 5_000,
  metricsIntervalMs: 10_000,
  jwtAlgorithm: 'HS256',
  apiKeyHeader: 'X-API-Key',
  userIdHeader: 'X-User-Id',
  authMethodHeader: 'X-Auth-Method',
  failOpen: false,
  tokenCacheSize: 10_000,
  maxClaimBytes: 2_048,
  jwksRefreshMs: 3_600_000,
  clockSkewMs: 30_000,
  introspectionCacheMs: 30_000,
  clientCertHeader: 'X-Client-Cert',
  principalClaim: 'sub',
  acsPath: '/saml/acs',
  samlMetadataPath: '/saml/metadata',
  logoutPath: '/saml/logout',
  metadataRefreshMs: 3_600_000,
  sessionTtlMs: 28_800_000,
  sessionStorePath: '/var/lib/gateway-auth/sessions.db',
  samlClockSkewMs: 300_000,
  cleanupIntervalMs: 300_000,
  sessionCookieName: 'gateway_saml_session',
  hostSessionCookieName: '__Host-portcullis_session',
  oidcLoginPath: '/oidc/login',
  oidcLogoutPath: '/oidc/logout',
  backchannelLogoutPath: '/oidc/backchannel-logout',
  frontchannelLogoutPath: '/oidc/frontchannel-logout',
  loginScopes: ['openid', 'profile', 'email'],
  refreshGraceMs: 300_000,
  userIdClaim: 'sub',
  exchangePath: '/token/exchange',
  jwksPath: '/token/jwks',
  signingAlgorithm: 'RS256',
  tokenTtlMs: 3_600_000,
  maximumActors: 4,
  claimsCopied: ['roles', 'email'],
  exchangesPerSecond: 20,
  identityTokenAlgorithm: 'ES256',
  identityTokenHeader,
  identityTokenTtlMs: 60_000,
  identityTokenJwksPath: '/.well-known/jwks.json',
} as const;
