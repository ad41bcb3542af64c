import type { RefreshedTokens } from '../../../../domain/agent/oidc/endpoint-response.js';
import { maximumHintLength } from '../../../../domain/agent/oidc/logout-request.js';
import { idTokenDetail } from '../../../../domain/agent/oidc/session-of-id-token.js';
import { accessTokenDetail, refreshTokenDetail, tokenDetails } from '../../../../domain/agent/oidc/token-refresh.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { SessionSecrets } from '../../../ports/agent/session-secrets.js';

/** The tokens of a token response, and for which session. */
export interface TokensToSeal {
  readonly sessionId: string;
  readonly tokens: RefreshedTokens;
  /** When the request for them was sent, in wall milliseconds. */
  readonly fromMs: number;
  /** Whether the access token is kept, because upstreams get it. */
  readonly forwards: boolean;
  /** The encrypted refresh token that stays in use if the provider sends no other; null: none. */
  readonly formerRefreshToken: string | null;
}

/** Encrypts tokens as details of a session. An ID token that is too long for a URL is not kept. */
export const sealTokens = (
  secrets: Pick<SessionSecrets, 'seal'>,
  { sessionId, tokens, fromMs, forwards, formerRefreshToken }: TokensToSeal,
): Session['details'] => {
  const { idToken, accessToken, refreshToken, lifetimeMs } = tokens;
  const seal = (use: string, text: string): string => secrets.seal(sessionId, use, text);
  return {
    ...(idToken !== null && idToken.length <= maximumHintLength && { [idTokenDetail]: seal(idTokenDetail, idToken) }),
    ...tokenDetails({
      accessToken: forwards ? seal(accessTokenDetail, accessToken) : null,
      refreshToken: refreshToken === null ? formerRefreshToken : seal(refreshTokenDetail, refreshToken),
      fromMs,
      lifetimeMs,
    }),
  };
};

/** The access token of a session; null: it has none that its id decrypts. */
export const accessToken = (
  secrets: Pick<SessionSecrets, 'open'>,
  sessionId: string,
  { details }: Pick<Session, 'details'>,
): string | null => {
  const sealed = details[accessTokenDetail];
  return sealed === undefined ? null : secrets.open(sessionId, accessTokenDetail, sealed);
};
