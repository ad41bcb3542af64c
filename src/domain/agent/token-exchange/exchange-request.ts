import type { ExchangeTokenKind, IssuedKind } from './token-kinds.js';

/** A token that somebody shows. Nothing of it is true yet. */
export interface PresentedToken {
  readonly kind: ExchangeTokenKind;
  /** As it came: a JWT in compact form, or base64url of a SAML document. */
  readonly token: string;
}

/** What is asked for (RFC 8693, section 2.1), its syntax checked. */
export interface ExchangeRequest {
  readonly subject: PresentedToken;
  /** Null: nobody acts for the subject. */
  readonly actor: PresentedToken | null;
  /** Null: whatever may be had for the subject token. */
  readonly requestedKind: IssuedKind | null;
  /** Values of `audience`, each once, in their order. */
  readonly audiences: readonly string[];
  /** Values of `resource`, absolute URIs without a fragment, each once, in their order. */
  readonly resources: readonly string[];
  /** Each once, in their order; null: the request names none. */
  readonly scopes: readonly string[] | null;
}
