import { remarkText } from '../../../domain/agent-protocol/audit-remarks.js';
import type { Result } from '../../../domain/shared/result.js';
import type { AnswerRemarks } from '../agent-service/with-remarks.js';
import type { ExchangeFacts, IssuedToken, RefusedExchange } from './exchange-facts.js';

/** Leaves out what is not known. */
const known = (remarks: Readonly<Record<string, string | null | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(remarks).flatMap(([name, text]) => (text ? [[name, remarkText(text)] as const] : [])),
  );

/** What the audit is told of an exchange: who wanted what for what, and what was given. */
export const exchangeRemarks = (
  { clientId, subject, actor, request }: ExchangeFacts,
  outcome: Result<IssuedToken, RefusedExchange>,
): AnswerRemarks => {
  const asked = {
    client_id: clientId,
    subject: subject?.subject,
    subject_issuer: subject?.issuer,
    actor: actor?.subject,
    issued_token_type: request?.requestedKind,
    audience: [...(request?.audiences ?? []), ...(request?.resources ?? [])].join(' '),
    scope: request?.scopes?.join(' '),
  };
  if (!outcome.ok) return { event: 'token_exchange', outcome: 'refused', ...known(asked) };
  const { grant } = outcome.value;
  const given = {
    client_id: grant.clientId,
    issued_token_type: grant.issuedKind,
    audience: grant.audiences.join(' '),
    scope: grant.scopes.join(' '),
    actor: grant.actors.map((one) => one.subject).join(' '),
    jti: grant.jti,
  };
  return { event: 'token_exchange', outcome: 'issued', ...known({ ...asked, ...given }) };
};
