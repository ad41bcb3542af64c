import { err, ok, type Result } from '../../shared/result.js';
import type { AssertionAttribute, VerifiedResponse } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import type { NameId } from '../name-id.js';
import { statementInContext } from './authentication-context.js';
import { replayUntilMs } from './replay-time.js';
import { responseChecks } from './response-checks.js';
import type { ResponseExpectation } from './response-expectation.js';
import { userIdOf } from './user-id.js';

/** What an assertion says that has passed every check but the one against replay, which needs a store. */
export interface AcceptedAssertion {
  readonly userId: string;
  readonly nameId: NameId;
  readonly sessionIndex: string | null;
  /** The earliest, where several statements give one; null: none does. */
  readonly sessionNotOnOrAfterMs: number | null;
  readonly attributes: readonly AssertionAttribute[];
  readonly assertionId: string;
  /** Until then the id has to be remembered. */
  readonly replayUntilMs: number;
}

const earliestEnd = ({ assertion: { authentication } }: VerifiedResponse): number | null => {
  const end = authentication.reduce(
    (earliest, { sessionNotOnOrAfterMs }) => Math.min(earliest, sessionNotOnOrAfterMs ?? Number.POSITIVE_INFINITY),
    Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(end) ? end : null;
};

const accepted = (
  response: VerifiedResponse,
  { authnContexts, userIdAttribute }: ResponseExpectation,
): Result<AcceptedAssertion, DocumentRejection> => {
  const { assertion } = response;
  if (assertion.nameId === null) return err('no_subject');
  const userId = userIdOf(assertion, userIdAttribute);
  if (userId === null) return err('unusable_user_id');
  return ok({
    userId,
    nameId: assertion.nameId,
    sessionIndex: statementInContext(assertion.authentication, authnContexts)?.sessionIndex ?? null,
    sessionNotOnOrAfterMs: earliestEnd(response),
    attributes: assertion.attributes,
    assertionId: assertion.id,
    replayUntilMs: replayUntilMs(assertion),
  });
};

/** Judges what a response says, once its signatures have been verified. The error is the first check that fails. */
export const judgeResponse = (
  response: VerifiedResponse,
  expectation: ResponseExpectation,
): Result<AcceptedAssertion, DocumentRejection> => {
  for (const check of responseChecks) {
    const fault = check(response, expectation);
    if (fault !== null) return err(fault);
  }
  return accepted(response, expectation);
};
