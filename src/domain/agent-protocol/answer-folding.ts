import type { AgentAnswer, AgentAudit } from './messages.js';

const foldAudit = (earlier: AgentAudit, later: AgentAudit): AgentAudit => ({
  tags: [...earlier.tags, ...later.tags],
  ruleIds: [...earlier.ruleIds, ...later.ruleIds],
  confidence: later.confidence ?? earlier.confidence,
  reasonCodes: [...earlier.reasonCodes, ...later.reasonCodes],
  custom: { ...earlier.custom, ...later.custom },
});

/**
 * The answers to the events of one request as one: the last decides, header operations add up in order, audits join.
 * Folding with `allowAnswer` first changes nothing.
 */
export const foldAnswers = (earlier: AgentAnswer, later: AgentAnswer): AgentAnswer => ({
  decision: later.decision,
  requestHeaders: [...earlier.requestHeaders, ...later.requestHeaders],
  responseHeaders: [...earlier.responseHeaders, ...later.responseHeaders],
  needsMore: later.needsMore,
  audit: foldAudit(earlier.audit, later.audit),
  requestBodyMutation: later.requestBodyMutation,
  responseBodyMutation: later.responseBodyMutation,
});
