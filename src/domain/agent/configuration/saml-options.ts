import type { Secret } from '../../shared/secret.js';

/** Where sessions are kept. */
export type SessionStoreOptions =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'memory' }
  | { readonly kind: 'redis'; readonly url: Secret };

/** What is known of the identity provider before anything is fetched. */
export type IdentityProviderOptions =
  | {
      readonly kind: 'metadata';
      readonly url: string;
      /** Where the metadata has several; null: the one that it has. */
      readonly entityId: string | null;
      /** Path of a PEM file: the metadata has to be signed with one of these. */
      readonly certificateFile: string | null;
      readonly refreshMs: number;
    }
  | {
      readonly kind: 'configured';
      readonly entityId: string;
      readonly ssoUrl: string;
      readonly logoutUrl: string | null;
      /** Path of a PEM file with the certificates that sign; several while they roll over. */
      readonly certificateFile: string;
    };

/** An attribute of the identity provider and the header that receives it. */
export interface MappedAttribute {
  readonly attribute: string;
  readonly header: string;
}

/** The `saml` block, checked. */
export interface SamlOptions {
  readonly entityId: string;
  readonly acsUrl: string;
  readonly acsPath: string;
  readonly metadataPath: string;
  readonly logoutPath: string;
  /** Where a browser goes once it is signed out, a path; null: to a page of ours. */
  readonly signedOutPath: string | null;
  readonly identityProvider: IdentityProviderOptions;
  /** PEM files; both or none. */
  readonly serviceProviderKey: { readonly keyFile: string; readonly certificateFile: string } | null;
  /** URI of the NameID format that is asked for and required; null: any. */
  readonly nameIdFormat: string | null;
  /** URIs of the authentication contexts that are asked for and required; empty: any. */
  readonly authnContexts: readonly string[];
  readonly forceAuthn: boolean;
  readonly allowIdpInitiated: boolean;
  readonly browserBinding: boolean;
  /** The attribute that is the user id; null: the NameID is. */
  readonly userIdAttribute: string | null;
  readonly attributeMapping: readonly MappedAttribute[];
  readonly sessionTtlMs: number;
  /** Null: a session that is not used lasts as long as one that is. */
  readonly sessionIdleMs: number | null;
  readonly clockSkewMs: number;
  readonly cleanupIntervalMs: number;
  readonly store: SessionStoreOptions;
  readonly cookie: {
    readonly name: string;
    readonly secure: boolean;
    readonly httpOnly: boolean;
    readonly sameSite: 'Strict' | 'Lax' | 'None';
  };
  readonly protectedPaths: readonly string[];
  readonly excludedPaths: readonly string[];
}

/** The `saml` block as it was written, with the defaults of single keys; null stands for a key that is absent. */
export interface SamlBlockOptions {
  readonly enabled: boolean;
  readonly entityId: string;
  readonly acsUrl: string;
  readonly acsPath: string;
  readonly metadataPath: string;
  readonly logoutPath: string;
  readonly signedOutPath: string | null;
  readonly idpSsoUrl: string | null;
  readonly idpSloUrl: string | null;
  readonly idpEntityId: string | null;
  readonly idpCertFile: string | null;
  readonly idpMetadataUrl: string | null;
  readonly idpMetadataCertFile: string | null;
  readonly idpMetadataRefreshMs: number | null;
  readonly spKeyFile: string | null;
  readonly spCertFile: string | null;
  readonly nameIdFormat: string | null;
  readonly authnContexts: readonly string[];
  readonly forceAuthn: boolean;
  readonly allowIdpInitiated: boolean;
  readonly browserBinding: boolean;
  readonly userIdAttribute: string | null;
  readonly attributeMapping: readonly MappedAttribute[];
  readonly sessionTtlMs: number;
  readonly sessionIdleMs: number | null;
  readonly sessionStore: SessionStoreOptions['kind'];
  readonly sessionStorePath: string | null;
  readonly sessionStoreUrl: Secret | null;
  readonly clockSkewMs: number;
  readonly cleanupIntervalMs: number;
  readonly cookieName: string;
  readonly cookieSecure: boolean;
  readonly cookieHttpOnly: boolean;
  readonly cookieSameSite: SamlOptions['cookie']['sameSite'];
  readonly protectedPaths: readonly string[];
  readonly excludedPaths: readonly string[];
}
