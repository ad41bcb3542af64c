import type { SignOnRequest } from './sign-on-request.js';

/** How long a form that is posted again leads to its page: browsers go back to it after a while of reading. */
export const answeredSignOnMs = 60 * 60_000;

/** What is remembered of a sign-on that was completed, for its form that is posted again. */
export interface AnsweredSignOn {
  /** SHA-256 that it is found by, in lower-case hexadecimal, as the other hashes. */
  readonly key: string;
  /** ID of the AuthnRequest that was answered; empty where the identity provider began. */
  readonly requestId: string;
  /** SHA-256 of the response as it was posted. */
  readonly documentHash: string;
  /** SHA-256 of the id of the session that it opened. */
  readonly sessionHash: string;
  /** Path and query that it led to. */
  readonly returnTo: string;
}

/** As stores keep it, among the requests. */
export const answeredRecord = (answered: AnsweredSignOn, nowMs: number): SignOnRequest => ({
  handleHash: answered.key,
  kind: 'answered',
  requestId: answered.requestId,
  bindingHash: `${answered.documentHash} ${answered.sessionHash}`,
  returnTo: answered.returnTo,
  createdMs: nowMs,
  expiresMs: nowMs + answeredSignOnMs,
});

/** What a store has kept so; null: it is something else. */
export const readAnsweredRecord = (record: SignOnRequest): AnsweredSignOn | null => {
  const [documentHash, sessionHash, ...more] = record.bindingHash?.split(' ') ?? [];
  if (record.kind !== 'answered' || documentHash === undefined || sessionHash === undefined || more.length > 0) {
    return null;
  }
  const { handleHash: key, requestId, returnTo } = record;
  return { key, requestId, documentHash, sessionHash, returnTo };
};

/**
 * The sessions one of which has to live for a form that is posted again to lead to its page: those that the browser
 * shows. Where it shows none because the identity provider's page has it post, and cookies that are SameSite stay
 * behind, the one that the form opened. None: this is another browser, which learns nothing of the page.
 */
export const sessionsOfReplay = (
  shown: readonly string[],
  mayHoldBack: boolean,
  { sessionHash }: Pick<AnsweredSignOn, 'sessionHash'>,
): readonly string[] => (shown.length === 0 && mayHoldBack ? [sessionHash] : shown);
