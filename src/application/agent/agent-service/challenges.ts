import type { FailureReason } from '../../../domain/agent/identity/authentication-failure.js';
import type { SessionRequirement } from '../../../domain/agent/sessions/session-requirements.js';
import { proofRejections } from '../../../domain/agent/tokens/dpop-proof.js';
import { asymmetricAlgorithms } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';

/** Every 401 names the realm (RFC 6750, section 3; RFC 9110, section 11.6.1). */
const realm = 'Bearer realm="gateway"';

/**
 * Reasons that a client may learn, after the signature was verified: it could read them in the token. The reasons that
 * are missing here (signature, key, issuer, algorithm) would help a forger.
 */
const descriptions: Partial<Readonly<Record<FailureReason, string>>> = {
  malformed: 'The token is malformed',
  too_large: 'The token is too large',
  inactive: 'The token is not active',
  expired: 'The token has expired',
  not_yet_valid: 'The token is not valid yet',
  issued_in_future: 'The token is not valid yet',
  wrong_audience: 'The token is meant for another audience',
  bound_token_as_bearer: 'The token is bound to a key: use the scheme DPoP',
  unbound_token: 'The token is not bound to a key',
  missing_certificate: 'The token is bound to a client certificate',
  wrong_certificate: 'The token is bound to another client certificate',
};

/** For a 401. `reason`: why the token is invalid; null without a token (RFC 6750, section 3.1). */
export const bearerChallenge = (reason: FailureReason | null): string => {
  if (reason === null) return realm;
  const description = descriptions[reason];
  const invalid = `${realm}, error="invalid_token"`;
  return description === undefined ? invalid : `${invalid}, error_description="${description}"`;
};

/**
 * Adds the URL of the resource metadata to the Bearer challenge of a 401 (RFC 9728, section 5.1). It contains neither
 * quotes nor backslashes. Null: the answer stays as it is.
 */
export const withResourceMetadata = (answer: AgentAnswer, url: string | null): AgentAnswer => {
  const { decision } = answer;
  if (url === null || decision.kind !== 'block' || decision.status !== 401) return answer;
  const headers = decision.headers.map((text, index) => {
    const isChallenge = index % 2 === 1 && decision.headers[index - 1] === 'WWW-Authenticate';
    return isChallenge && text.startsWith(realm) ? `${text}, resource_metadata="${url}"` : text;
  });
  return { ...answer, decision: { ...decision, headers } };
};

/** For a 403. `scope` contains neither quotes nor backslashes (RFC 6749, section 3.3). */
export const insufficientScopeChallenge = (scope: string | null): string => {
  const insufficient = `${realm}, error="insufficient_scope"`;
  return scope === null ? insufficient : `${insufficient}, scope="${scope}"`;
};

/** A quoted string (RFC 9110, section 5.6.4). */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/**
 * For a 401: the user must authenticate again, as required (RFC 9470, section 3). Null: no session can meet the
 * requirement.
 */
export const stepUpChallenge = (required: SessionRequirement | null): string => {
  const { acrValues = [], maxAgeSecs = null } = required ?? {};
  return [
    `${realm}, error="insufficient_user_authentication"`,
    'error_description="A stronger or more recent sign-on is required"',
    ...(acrValues.length === 0 ? [] : [`acr_values=${quoted(acrValues.join(' '))}`]),
    ...(maxAgeSecs === null ? [] : [`max_age="${maxAgeSecs}"`]),
  ].join(', ');
};

/** User and password are read as UTF-8 (RFC 7617, section 2.1). */
export const basicChallenge = 'Basic realm="gateway", charset="UTF-8"';

/** Algorithms of proofs (RFC 9449, section 7.1). */
const proofAlgorithms = asymmetricAlgorithms.join(' ');

const isProofFault = (reason: FailureReason | null): boolean => proofRejections.some((known) => known === reason);

/** For a 401. `reason`: why the token or its proof is refused; null without a token of the scheme DPoP. */
export const proofChallenge = (reason: FailureReason | null): string => {
  const algorithms = `algs="${proofAlgorithms}"`;
  if (reason === null) return `DPoP ${algorithms}`;
  return `DPoP ${algorithms}, error="${isProofFault(reason) ? 'invalid_dpop_proof' : 'invalid_token'}"`;
};
