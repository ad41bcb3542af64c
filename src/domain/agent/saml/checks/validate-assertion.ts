import { err, ok, type Result } from '../../../shared/result.js';
import type {
  Assertion,
  AssertionAttribute,
  AuthenticationStatement,
  NameId,
  VerifiedAssertion,
} from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { statementInContext } from './authentication-context.js';
import { acceptedConfirmation } from './check-subject-confirmation.js';
import { replayUntilMs } from './replay-time.js';
import { responseChecks } from './response-checks.js';
import type { ResponseExpectation } from './response-expectation.js';
import { samlUserId } from './user-id.js';

/** The content of an assertion that passed all checks, except for replay, which needs a store. */
export interface AcceptedAssertion {
  readonly userId: string;
  /** Null: absent, and an attribute is the user id. */
  readonly nameId: NameId | null;
  readonly sessionIndex: string | null;
  /** The statement in one of the required contexts. */
  readonly authentication: Pick<AuthenticationStatement, 'authnInstantMs' | 'contextClass'>;
  /** The earliest of several; null: none. */
  readonly sessionNotOnOrAfterMs: number | null;
  readonly attributes: readonly AssertionAttribute[];
  readonly assertionId: string;
  /** How long the id must be stored, as a moment. */
  readonly replayUntilMs: number;
  /** The moment of expiry, without tolerance: the end of its conditions, confirmation or session. */
  readonly validUntilMs: number;
  /** Whether its issuer demands one-time use (SAML core, section 2.5.1.5). */
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
  // INVARIANT: there is one, because the checks require it.
  const statement = statementInContext(assertion.authentication, expectation.authnContexts) as AuthenticationStatement;
  const ends = [
    assertion.conditions?.notOnOrAfterMs,
    confirmation.value.data?.notOnOrAfterMs,
    sessionNotOnOrAfterMs,
  ].map((endMs) => endMs ?? Number.POSITIVE_INFINITY);
  return ok({
    userId,
    nameId: assertion.nameId,
    sessionIndex: statement.sessionIndex,
    authentication: { authnInstantMs: statement.authnInstantMs, contextClass: statement.contextClass },
    sessionNotOnOrAfterMs,
    attributes: assertion.attributes,
    assertionId: assertion.id,
    replayUntilMs: replayUntilMs(assertion),
    // INVARIANT: finite, because an accepted confirmation has an end.
    validUntilMs: Math.min(...ends),
    oneTimeUse: assertion.conditions?.oneTimeUse ?? false,
  });
};

/**
 * Checks an assertion, and the response around it if there is one, after signature verification. The error is the first
 * failed check.
 */
export const validateAssertion = (
  verified: VerifiedAssertion,
  expectation: ResponseExpectation,
): Result<AcceptedAssertion, DocumentRejection> => {
  for (const check of responseChecks) {
    const fault = check(verified, expectation);
    if (fault !== null) return err(fault);
  }
  return accepted(verified.assertion, expectation);
};
