import type { Secret } from '../../shared/secret.js';
import type { ResponseMode } from '../oidc/authorization-request.js';
import type { ConfiguredEndpoints } from '../oidc/provider-metadata.js';
import type { AsymmetricAlgorithm } from '../tokens/signature-algorithm.js';
import type { MappedAttribute } from './saml-options.js';

/** How the client of a login proves who it is. */
export type LoginCredentialOptions =
  | { readonly kind: 'secret'; readonly secret: Secret }
  /** Path of a PEM private key. */
  | { readonly kind: 'key'; readonly keyFile: string }
  | { readonly kind: 'public' };

/** A checked `oidc-login` block: a way to sign on at an OpenID provider. */
export interface OidcLoginOptions {
  /** Unique among the blocks. It has no space. */
  readonly name: string;
  readonly issuer: string;
  readonly endpoints: ConfiguredEndpoints;
  /** Null: from the discovery document. */
  readonly jwksUrl: string | null;
  readonly clientId: string;
  readonly credential: LoginCredentialOptions;
  /** Scheme and authority of each public URL, at least one. */
  readonly publicOrigins: readonly string[];
  readonly callbackPath: string;
  readonly loginPath: string;
  readonly logoutPath: string;
  /** Where the provider posts logout tokens. */
  readonly backchannelLogoutPath: string;
  /** Where a page of the provider ends a session in a frame. */
  readonly frontchannelLogoutPath: string;
  /** Where the browser goes after a sign-out; null: a page of the provider or of the agent. */
  readonly postLogoutUrl: string | null;
  readonly scopes: readonly string[];
  readonly protectedPaths: readonly string[];
  readonly excludedPaths: readonly string[];
  readonly userIdClaim: string;
  readonly claimMapping: readonly MappedAttribute[];
  /** In lower case; empty: every user. */
  readonly allowedDomains: readonly string[];
  readonly trustsUnverifiedEmail: boolean;
  readonly prompt: readonly string[];
  /** Null: any. */
  readonly maxAgeSecs: number | null;
  readonly acrValues: readonly string[];
  readonly responseMode: ResponseMode;
  readonly requireIss: boolean;
  /** Whether upstreams get the access token of the user in Authorization. */
  readonly forwardsAccessToken: boolean;
  /** How long a session goes on after the end of its access token while refreshes fail. */
  readonly refreshGraceMs: number;
  /** Accepted signature algorithms; null: the algorithm of the key. */
  readonly algorithms: readonly AsymmetricAlgorithm[] | null;
  readonly jwksRefreshMs: number;
  readonly clockSkewMs: number;
}

/** An `oidc-login` block as written, with the defaults of single keys; null for an absent key. */
export interface OidcLoginBlockOptions
  extends Omit<OidcLoginOptions, 'name' | 'credential' | 'publicOrigins' | 'callbackPath' | 'refreshGraceMs'> {
  readonly name: string | null;
  readonly enabled: boolean;
  readonly clientSecret: Secret | null;
  readonly clientKeyFile: string | null;
  readonly publicUrls: readonly string[];
  readonly callbackPath: string | null;
  readonly refreshGraceMs: number | null;
}
