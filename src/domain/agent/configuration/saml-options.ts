import type { SessionKeys } from './sessions-options.js';

/** The configured part of the identity provider. */
export type IdentityProviderOptions =
  | {
      readonly kind: 'metadata';
      readonly url: string;
      /** Selects one of several providers in the metadata; null: the only one. */
      readonly entityId: string | null;
      /** Path of a PEM file with the certificates of the metadata signer. */
      readonly certificateFile: string | null;
      readonly refreshMs: number;
    }
  | {
      readonly kind: 'configured';
      readonly entityId: string;
      readonly ssoUrl: string;
      readonly logoutUrl: string | null;
      /** Path of a PEM file with the signing certificates; several during a key rollover. */
      readonly certificateFile: string;
    };

/** An attribute and the header that receives it. */
export interface MappedAttribute {
  readonly attribute: string;
  readonly header: string;
}

/** The checked `saml` block. */
export interface SamlOptions {
  readonly entityId: string;
  readonly acsUrl: string;
  readonly acsPath: string;
  readonly metadataPath: string;
  readonly logoutPath: string;
  /** Path to redirect to after signing out; null: a page of the agent. */
  readonly signedOutPath: string | null;
  readonly identityProvider: IdentityProviderOptions;
  /** PEM files; both or none. */
  readonly serviceProviderKey: { readonly keyFile: string; readonly certificateFile: string } | null;
  /** URI of the requested and required NameID format; null: any. */
  readonly nameIdFormat: string | null;
  /** URIs of the requested and required authentication contexts; empty: any. */
  readonly authnContexts: readonly string[];
  readonly forceAuthn: boolean;
  readonly allowIdpInitiated: boolean;
  readonly browserBinding: boolean;
  /** The attribute with the user id; null: the NameID. */
  readonly userIdAttribute: string | null;
  readonly attributeMapping: readonly MappedAttribute[];
  readonly clockSkewMs: number;
  readonly protectedPaths: readonly string[];
  readonly excludedPaths: readonly string[];
}

/** The `saml` block as written, with the defaults of single keys; null for an absent key. */
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
  /** The keys of sessions, which the `sessions` block may have in their place. */
  readonly sessions: SessionKeys;
  readonly clockSkewMs: number;
  readonly protectedPaths: readonly string[];
  readonly excludedPaths: readonly string[];
}
