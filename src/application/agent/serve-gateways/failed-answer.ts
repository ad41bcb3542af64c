import { type AgentAnswer, allowAnswer } from '../../../domain/agent-protocol/messages.js';

/** What is said where the service failed, or its answer cannot be sent: never an allow. */
export const failedAnswer: AgentAnswer = {
  ...allowAnswer,
  decision: { kind: 'block', status: 500, body: null, headers: [] },
};
