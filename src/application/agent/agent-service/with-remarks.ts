import type { AgentAuditEvent, AgentAuditOutcome, AuditRemarks } from '../../../domain/agent-protocol/audit-remarks.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';

/** Audit remarks of an answer that is not a plain allow. */
export interface AnswerRemarks extends Omit<AuditRemarks, 'event' | 'outcome'> {
  readonly event: AgentAuditEvent;
  readonly outcome: AgentAuditOutcome;
}

/** Adds remarks to the audit of an answer. */
export const withRemarks = (answer: AgentAnswer, remarks: AnswerRemarks): AgentAnswer => ({
  ...answer,
  audit: { ...answer.audit, custom: { ...answer.audit.custom, ...remarks } },
});
