import { err, ok, type Result } from '../../../shared/result.js';
import type { Assertion, AssertionAttribute, NameId, VerifiedAssertion } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { statementInContext } from './authentication-context.js';
import { acceptedConfirmation } from './check-subject-confirmation.js';
import { replayUntilMs } from './replay-time.js';
import { responseChecks } from './response-checks.js';
import type { ResponseExpectation } from './response-expectation.js';
import { samlUserId } from './user-id.js';

/** What an assertion says that has passed every check but the one against replay, which needs a store. */
export interface AcceptedAssertion {
  readonly userId: string;
  /** Null: there is none, and an attribute is the user id. */
  readonly nameId: NameId | null;
  readonly sessionIndex: string | null;
  /** The earliest, where several statements give one; null: none does. */
  readonly sessionNotOnOrAfterMs: number | null;
  readonly attributes: readonly AssertionAttribute[];
  readonly assertionId: string;
  /** Until then the id has to be remembered. */
  readonly replayUntilMs: number;
  /**
   * The first moment at which it is over by its own word, without a skew: its conditions, its confirmation or the
   * session it speaks of.
   */
  readonly validUntilMs: number;
  /** Its issuer wants it to be used once (SAML core, section 2.5.1.5). */
  readonly oneTimeUse: boolean;
}

const sessionEnd = ({ authentication }: Assertion): number | null => {
  const end = authentication.reduce(
    (earliest, { sessionNotOnOrAfterMs }) => Math.min(earliest, sessionNotOnOrAfterMs ?? Number.POSITIVE_INFINITY),
    Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(end) ? end : null;
};

const accepted = (
  assertion: Assertion,
  expectation: ResponseExpectation,
): Result<AcceptedAssertion, DocumentRejection> => {
  const userId = samlUserId(assertion, expectation.userIdAttribute);
  if (userId === null) return err('unusable_user_id');
  const confirmation = acceptedConfirmation(assertion, expectation);
  if (!confirmation.ok) return confirmation;
  const sessionNotOnOrAfterMs = sessionEnd(assertion);
  const ends = [
    assertion.conditions?.notOnOrAfterMs,
    confirmation.value.data?.notOnOrAfterMs,
    sessionNotOnOrAfterMs,
  ].map((endMs) => endMs ?? Number.POSITIVE_INFINITY);
  return ok({
    userId,
    nameId: assertion.nameId,
    sessionIndex: statementInContext(assertion.authentication, expectation.authnContexts)?.sessionIndex ?? null,
    sessionNotOnOrAfterMs,
    attributes: assertion.attributes,
    assertionId: assertion.id,
    replayUntilMs: replayUntilMs(assertion),
    // INVARIANT: finite, because no confirmation is accepted that has no end.
    validUntilMs: Math.min(...ends),
    oneTimeUse: assertion.conditions?.oneTimeUse ?? false,
  });
};

/**
 * Judges what an assertion says, and the response around it where there is one, once their signatures have been
 * verified. The error is the first check that fails.
 */
export const judgeAssertion = (
  verified: VerifiedAssertion,
  expectation: ResponseExpectation,
): Result<AcceptedAssertion, DocumentRejection> => {
  for (const check of responseChecks) {
    const fault = check(verified, expectation);
    if (fault !== null) return err(fault);
  }
  return accepted(verified.assertion, expectation);
};
