import type { OidcCallback } from '../callback.js';
import type { OidcRejection } from '../oidc-rejection.js';

/** What a callback must match. */
export interface CallbackExpectation {
  /** The name of the block that began the sign-on, and the names of the blocks at the path of the callback. */
  readonly provider: string;
  readonly providersOfPath: readonly string[];
  readonly issuer: string;
  /** Whether `iss` must be there: configured, or announced by the provider (RFC 9207, section 2.4). */
  readonly requiresIss: boolean;
}

/** A requirement for a callback; null: fulfilled. */
export type CallbackCheck = (callback: OidcCallback, expectation: CallbackExpectation) => OidcRejection | null;

/** Requires the callback path of the provider that was asked (RFC 9700, section 4.4.2.1). */
const checkCallbackPath: CallbackCheck = (_callback, { provider, providersOfPath }) =>
  providersOfPath.includes(provider) ? null : 'wrong_callback';

/** Requires the issuer that was asked, wherever the answer names one (RFC 9207, section 2.4). Errors count too. */
const checkIss: CallbackCheck = ({ iss }, { issuer, requiresIss }) => {
  if (iss === null) return requiresIss ? 'missing_iss' : null;
  return iss === issuer ? null : 'wrong_iss';
};

/** Requires a code. After the other checks, so that only the provider that was asked can report an error. */
const checkAnswer: CallbackCheck = ({ answer }) => (answer.kind === 'code' ? null : 'provider_error');

/** The requirements for a callback whose `state` belongs to the browser, in order. */
export const callbackChecks: readonly CallbackCheck[] = [checkCallbackPath, checkIss, checkAnswer];

/** The first requirement that a callback fails; null: it fulfils all. */
export const callbackFault = (callback: OidcCallback, expectation: CallbackExpectation): OidcRejection | null => {
  for (const check of callbackChecks) {
    const fault = check(callback, expectation);
    if (fault !== null) return fault;
  }
  return null;
};
