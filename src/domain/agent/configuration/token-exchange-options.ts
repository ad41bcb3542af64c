import type { Secret } from '../../shared/secret.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import type { PasswordHash } from '../identity/password-hash-rules.js';
import type { AllowedExchange } from '../token-exchange/exchange-policy.js';
import type { SigningAlgorithm } from '../tokens/signature-algorithm.js';

/** The secret of a client as it is kept. */
export type ClientSecret =
  | { readonly kind: 'plain'; readonly text: Secret }
  /** In lower-case hexadecimal. */
  | { readonly kind: 'sha256'; readonly digest: Secret }
  | PasswordHash;

/** What a client, or everybody, may have. */
export interface ExchangePermissions {
  readonly allowedExchanges: readonly AllowedExchange[];
  /** Null: any. */
  readonly allowedAudiences: readonly string[] | null;
  /** Null: none is named. */
  readonly allowedScopes: readonly string[] | null;
}

/** A `client` block. What it says takes the place of what the `token-exchange` block says. */
export interface ExchangeClientOptions extends ExchangePermissions {
  readonly id: string;
  /** Any of them will do. */
  readonly secrets: readonly ClientSecret[];
  /** Paths of PEM files, for private_key_jwt. */
  readonly publicKeyFiles: readonly string[];
  /** What a token of our own has to be meant for: one of these; default: the id. */
  readonly subjectAudiences: readonly string[];
}

/** The `token-exchange` block, checked. */
export interface TokenExchangeOptions extends ExchangePermissions {
  readonly issuer: string;
  readonly endpointPath: string;
  /** As clients see it. */
  readonly endpointUrl: string;
  readonly jwksPath: string;
  /** As clients see it. */
  readonly jwksUrl: string;
  /** Of RFC 8414, section 3.1. */
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
  /** Null: none. */
  readonly rateLimit: RateLimit | null;
  /** Null: whoever has a token may exchange it. */
  readonly clients: readonly ExchangeClientOptions[] | null;
}

/** A `client` block as it was written; null stands for a key that is absent. */
export interface ExchangeClientBlockOptions {
  readonly id: string;
  readonly secrets: readonly Secret[];
  readonly publicKeyFiles: readonly string[];
  readonly allowedExchanges: readonly AllowedExchange[] | null;
  readonly allowedAudiences: readonly string[] | null;
  readonly allowedScopes: readonly string[] | null;
  readonly subjectAudiences: readonly string[] | null;
}

/**
 * The `token-exchange` block as it was written, with the defaults of single keys; null stands for a key that is
 * absent.
 */
export interface TokenExchangeBlockOptions {
  readonly enabled: boolean;
  readonly endpointPath: string;
  readonly issuer: string;
  /** What stands before the paths in the URLs that clients use; null: the origin of the issuer. */
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
