/**
 * What an agent may say of an answer besides its decision, as members of `audit.custom`: the gateway's audit log has
 * them under the same names. `event` and `outcome` are words of `agentAuditEvents` and `agentAuditOutcomes`; the
 * others are texts, of several items with spaces between. None is ever a secret or a token.
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

/** What an answer of an agent was about. */
export const agentAuditEvents = [
  'authentication',
  'authorization',
  'token_exchange',
  'sign_on',
  'sign_out',
  'endpoint',
] as const;
export type AgentAuditEvent = (typeof agentAuditEvents)[number];

/** What came of that, where the decision does not say it. */
export const agentAuditOutcomes = ['begun', 'succeeded', 'failed', 'issued', 'refused', 'answered'] as const;
export type AgentAuditOutcome = (typeof agentAuditOutcomes)[number];

/** Characters of one remark. */
export const longestRemark = 256;

/** A text as a remark. */
export const remarkText = (text: string): string => (text.length > longestRemark ? text.slice(0, longestRemark) : text);
