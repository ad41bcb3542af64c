import type { SignOnRequest } from './sign-on-request.js';

/** How long a form that is posted again redirects to its page: users go back after reading for a while. */
export const answeredSignOnMs = 60 * 60_000;

/** A completed sign-on, stored for a repeated post of its form. */
export interface AnsweredSignOn {
  /** SHA-256 in lower-case hexadecimal, like the other hashes; the key of the record. */
  readonly key: string;
  /** ID of the answered AuthnRequest; empty for an IdP-initiated sign-on. */
  readonly requestId: string;
  /** SHA-256 of the response as posted. */
  readonly documentHash: string;
  /** SHA-256 of the id of the session that it opened. */
  readonly sessionHash: string;
  /** The page: path and query of this host, or an https URL. */
  readonly returnTo: string;
}

/** The record in the store of requests. */
export const answeredRecord = (answered: AnsweredSignOn, nowMs: number): SignOnRequest => ({
  handleHash: answered.key,
  kind: 'answered',
  requestId: answered.requestId,
  bindingHash: `${answered.documentHash} ${answered.sessionHash}`,
  returnTo: answered.returnTo,
  createdMs: nowMs,
  expiresMs: nowMs + answeredSignOnMs,
});

/** Reads such a record; null if it is of another kind. */
export const readAnsweredRecord = (record: SignOnRequest): AnsweredSignOn | null => {
  const [documentHash, sessionHash, ...more] = record.bindingHash?.split(' ') ?? [];
  if (record.kind !== 'answered' || documentHash === undefined || sessionHash === undefined || more.length > 0) {
    return null;
  }
  const { handleHash: key, requestId, returnTo } = record;
  return { key, requestId, documentHash, sessionHash, returnTo };
};

/**
 * The sessions of which one must be active for a repeated form to redirect: those of the browser's cookies. If a
 * cross-site post withheld SameSite cookies, the session that the form opened. Empty: another browser, which must not
 * learn the page.
 */
export const sessionsOfReplay = (
  shown: readonly string[],
  mayHoldBack: boolean,
  { sessionHash }: Pick<AnsweredSignOn, 'sessionHash'>,
): readonly string[] => (shown.length === 0 && mayHoldBack ? [sessionHash] : shown);
