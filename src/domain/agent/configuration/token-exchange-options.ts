import type { Secret } from '../../shared/secret.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import type { PasswordHash } from '../identity/password-hash-rules.js';
import type { AllowedExchange } from '../token-exchange/exchange-policy.js';
import type { SigningAlgorithm } from '../tokens/signature-algorithm.js';

/** A stored client secret. */
export type ClientSecret =
  | { readonly kind: 'plain'; readonly text: Secret }
  /** In lower-case hexadecimal. */
  | { readonly kind: 'sha256'; readonly digest: Secret }
  | PasswordHash;

/** The permissions of a client, or of everyone. */
export interface ExchangePermissions {
  readonly allowedExchanges: readonly AllowedExchange[];
  /** Null: any. */
  readonly allowedAudiences: readonly string[] | null;
  /** Null: not set. */
  readonly allowedScopes: readonly string[] | null;
}

/** A `client` block. Its values override those of the `token-exchange` block. */
export interface ExchangeClientOptions extends ExchangePermissions {
  readonly id: string;
  /** Each is valid. */
  readonly secrets: readonly ClientSecret[];
  /** Paths of PEM files, for private_key_jwt. */
  readonly publicKeyFiles: readonly string[];
  /** Audiences of which a token of this agent must have one; default: the id. */
  readonly subjectAudiences: readonly string[];
}

/** The checked `token-exchange` block. */
export interface TokenExchangeOptions extends ExchangePermissions {
  readonly issuer: string;
  readonly endpointPath: string;
  /** The public URL. */
  readonly endpointUrl: string;
  readonly jwksPath: string;
  /** The public URL. */
  readonly jwksUrl: string;
  /** As defined by RFC 8414, section 3.1. */
  readonly metadataPath: string;
  /** The first signs; the others are only published. At least one. */
  readonly signingKeyFiles: readonly string[];
  readonly signingAlgorithm: SigningAlgorithm;
  readonly tokenTtlMs: number;
  readonly limitLifetimeToSubject: boolean;
  readonly maximumActors: number;
  readonly claimsCopied: readonly string[];
  readonly defaultAudience: string | null;
  readonly samlOneTime: boolean;
  /** Null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** Null: anyone with a token may exchange it. */
  readonly clients: readonly ExchangeClientOptions[] | null;
}

/** A `client` block as written; null for an absent key. */
export interface ExchangeClientBlockOptions {
  readonly id: string;
  readonly secrets: readonly Secret[];
  readonly publicKeyFiles: readonly string[];
  readonly allowedExchanges: readonly AllowedExchange[] | null;
  readonly allowedAudiences: readonly string[] | null;
  readonly allowedScopes: readonly string[] | null;
  readonly subjectAudiences: readonly string[] | null;
}

/** The `token-exchange` block as written, with the defaults of single keys; null for an absent key. */
export interface TokenExchangeBlockOptions {
  readonly enabled: boolean;
  readonly endpointPath: string;
  readonly issuer: string;
  /** The prefix of the paths in public URLs; null: the origin of the issuer. */
  readonly publicUrl: string | null;
  readonly signingKeyFiles: readonly string[];
  readonly signingAlgorithm: SigningAlgorithm;
  readonly tokenTtlMs: number;
  readonly limitLifetimeToSubject: boolean;
  readonly maximumActors: number;
  readonly claimsCopied: readonly string[];
  readonly defaultAudience: string | null;
  readonly jwksPath: string;
  readonly samlOneTime: boolean;
  readonly rateLimit: RateLimit | null;
  readonly allowedExchanges: readonly AllowedExchange[];
  readonly allowedAudiences: readonly string[] | null;
  readonly allowedScopes: readonly string[] | null;
  readonly clients: readonly ExchangeClientBlockOptions[] | null;
}
