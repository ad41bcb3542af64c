import { verdictOf } from '../../agent-protocol/agent-verdict.js';
import {
  type AgentAuditEvent,
  agentAuditEvents,
  agentAuditOutcomes,
  auditRemarks,
  remarkText,
} from '../../agent-protocol/audit-remarks.js';
import type { AgentAudit, AgentDecision } from '../../agent-protocol/messages.js';
import type { AuditOutcome, AuditRecord, AuditValue } from '../../shared/audit-record.js';
import { mergeObjects } from '../../shared/merge-objects.js';

/** The request of a decision. */
export interface AuditedRequest {
  readonly requestId: string;
  readonly correlationId: string;
  readonly traceId: string;
  readonly clientIp: string;
  readonly method: string;
  /** Normalised, without the query. */
  readonly path: string;
  readonly route: string | null;
}

/** An agent that answers a request itself uses `block` with the status of its answer. */
const decisionOutcome = (decision: AgentDecision): AuditOutcome => {
  switch (decision.kind) {
    case 'allow':
      return 'allowed';
    case 'redirect':
      return 'redirected';
    case 'challenge':
      return 'challenged';
    default:
      if (decision.status >= 400) return 'denied';
      return decision.status >= 300 ? 'redirected' : 'answered';
  }
};

const oneOf = <Word extends string>(words: readonly Word[], text: string | undefined): Word | null =>
  words.find((word) => word === text) ?? null;

/** Audit fields except `event` and `outcome`, which have their own members. */
const toldRemarks = auditRemarks.filter((name) => name !== 'event' && name !== 'outcome');

const requestMembers = (request: AuditedRequest, agent: string): Record<string, AuditValue> => ({
  request_id: request.requestId,
  correlation_id: request.correlationId,
  trace_id: request.traceId,
  client_ip: request.clientIp,
  http_method: request.method,
  path: request.path,
  route: request.route,
  agent,
});

const eventOf = (decision: AgentDecision, { custom, ruleIds }: AgentAudit): AgentAuditEvent => {
  const told = oneOf(agentAuditEvents, custom['event']);
  if (told !== null) return told;
  // An agent with policies names the deciding ones. Without policies, a known subject means authentication only.
  const isKnown = ruleIds.length === 0 && custom['subject'] !== undefined;
  return isKnown && decision.kind === 'allow' ? 'authentication' : 'authorization';
};

const outcomeOf = (event: AgentAuditEvent, decision: AgentDecision, { custom }: AgentAudit): AuditOutcome => {
  const told = oneOf(agentAuditOutcomes, custom['outcome']);
  if (told !== null) return told;
  return event === 'authentication' && decision.kind !== 'allow' ? 'failed' : decisionOutcome(decision);
};

/** The audit record of an agent's answer. */
export const decisionRecord = (
  request: AuditedRequest,
  agent: string,
  decision: AgentDecision,
  audit: AgentAudit,
): AuditRecord => {
  const members = requestMembers(request, agent);
  for (const name of toldRemarks) {
    const remark = Object.hasOwn(audit.custom, name) ? audit.custom[name] : undefined;
    if (remark !== undefined) members[name] = remarkText(remark);
  }
  const { reasonCodes, ruleIds } = verdictOf(agent, audit);
  if (reasonCodes.length > 0) members['reason_codes'] = reasonCodes;
  if (ruleIds.length > 0) members['rule_ids'] = ruleIds;
  const event = eventOf(decision, audit);
  return { event, outcome: outcomeOf(event, decision, audit), members };
};

/** The audit record of a call without an answer. The failure mode decides the outcome. */
export const undecidedRecord = (
  request: AuditedRequest,
  agent: string,
  reason: string,
  isLetThrough: boolean,
): AuditRecord => ({
  event: 'authorization',
  outcome: isLetThrough ? 'allowed' : 'denied',
  members: mergeObjects(requestMembers(request, agent), {
    reason_codes: [`agent_${reason}`],
    failure_mode: isLetThrough ? 'open' : 'closed',
  }),
});
