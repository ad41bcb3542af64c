import type { AgentAnswer, HeaderOperation } from '../../../domain/agent-protocol/messages.js';

const noStore: HeaderOperation = { kind: 'set', name: 'Cache-Control', value: 'no-store' };

/** Answers at paths of our own are for one client and one moment. */
export const withNoStore = (answer: AgentAnswer): AgentAnswer => ({
  ...answer,
  responseHeaders: [noStore, ...answer.responseHeaders],
});
