import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { PolicyError } from '../../../domain/agent/policy/evaluate/decision.js';
import { splitUri } from '../../../domain/agent/policy/gateway-model/gateway-request.js';
import { eventTraceId } from '../../../domain/agent-protocol/event-trace-id.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { joined } from '../../../domain/shared/joined.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import { namedPolicies } from './authorization-outcome.js';

const maximumNamedErrors = 5;
/** Characters of a text that came with the request, in one line. */
const maximumShown = 1_024;

/** One decision, as its log line tells it. */
export interface LoggedDecision {
  readonly decision: 'allow' | 'deny';
  readonly because: string;
  readonly policies: readonly string[];
  readonly errors: readonly PolicyError[];
}

/** Text of a request for a log line; the query may hold secrets and is not shown. */
const shown = (text: string): string => (text.length > maximumShown ? `${text.slice(0, maximumShown)}...` : text);

/**
 * Who wanted to do what, on what, for a log line: no claim, no query and no value of the request but its path.
 *
 * @param principal as policies write it; null where the identity gave none
 */
export const shownRequest = (
  event: RequestHeadersEvent,
  principal: string | null,
): { readonly principal: string | null; readonly action: string; readonly resource: string } => ({
  principal: principal === null ? null : shown(principal),
  action: shown(event.method),
  resource: shown(splitUri(event.uri).path),
});

const shownError = ({ policyId, error }: PolicyError): string => `${policyId}: ${error.code}: ${error.message}`;

/** Writes one line for each decision; `principal` as `shownRequest` takes it. */
export const logDecision = (
  logger: Logger,
  event: RequestHeadersEvent,
  identity: Identity | null,
  principal: string | null,
  { decision, because, policies, errors }: LoggedDecision,
): void => {
  const fields: LogFields = {
    decision,
    because,
    policies: namedPolicies(policies),
    ...shownRequest(event, principal),
    method: identity?.method ?? 'none',
    trace_id: eventTraceId(event),
    correlation_id: event.correlationId,
    client_ip: event.metadata.clientIp,
    route: event.metadata.routeId,
  };
  const failed = errors.length > 0 ? { errors: errors.slice(0, maximumNamedErrors).map(shownError) } : null;
  logger.info('authorization decided', failed === null ? fields : joined(fields, failed));
};
