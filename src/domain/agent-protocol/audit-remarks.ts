/**
 * Names of audit fields that an agent may add to an answer, as members of `audit.custom`. The audit log of the gateway
 * uses the same names. `event` and `outcome` are words of `agentAuditEvents` and `agentAuditOutcomes`; the others are
 * texts with items separated by spaces. None may be a secret or a token.
 */
export const auditRemarks = [
  'event',
  'outcome',
  'subject',
  'auth_method',
  'client_id',
  'subject_issuer',
  'issued_token_type',
  'audience',
  'scope',
  'actor',
  'jti',
  'session',
] as const;

export type AuditRemark = (typeof auditRemarks)[number];

export type AuditRemarks = Readonly<Partial<Record<AuditRemark, string>>>;

/** The subject of an answer. */
export const agentAuditEvents = [
  'authentication',
  'authorization',
  'token_exchange',
  'sign_on',
  'sign_out',
  'endpoint',
] as const;
export type AgentAuditEvent = (typeof agentAuditEvents)[number];

/** The outcome, if the decision does not show it. */
export const agentAuditOutcomes = ['begun', 'succeeded', 'failed', 'issued', 'refused', 'answered'] as const;
export type AgentAuditOutcome = (typeof agentAuditOutcomes)[number];

/** Largest length of one remark, in characters. */
export const longestRemark = 256;

/** Shortens a text to the length of a remark. */
export const remarkText = (text: string): string => (text.length > longestRemark ? text.slice(0, longestRemark) : text);
