/** What a pending sign-on remembers besides its handle: the block and the origin that began it. */
export interface PendingLogin {
  /** The name of the `oidc-login` block. */
  readonly login: string;
  /** The origin of the redirect URI, as in `https://app.example`. */
  readonly origin: string;
}

const mark = 'oidc';

/**
 * The request id in the store of pending sign-ons. Names and origins have no spaces. No SAML message has such an id, so
 * neither method accepts the answer of the other.
 */
export const loginRequestId = ({ login, origin }: PendingLogin): string => `${mark} ${login} ${origin}`;

/** Reads such an id; null: of another method. */
export const readLoginRequestId = (requestId: string): PendingLogin | null => {
  const [kind, login, origin, ...more] = requestId.split(' ');
  if (kind !== mark || login === undefined || origin === undefined || more.length > 0) return null;
  return { login, origin };
};

/** The text whose SHA-256 is the nonce of a sign-on. The store holds neither the secret nor the nonce. */
export const nonceText = (secret: string, state: string): string => `nonce\n${secret}\n${state}`;

/**
 * The text whose SHA-256 in hexadecimal is the code verifier (RFC 7636, section 4.1). Only the browser that began the
 * sign-on has the secret, in its binding cookie.
 */
export const codeVerifierText = (secret: string, state: string): string => `code_verifier\n${secret}\n${state}`;
