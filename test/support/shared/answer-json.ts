import { addAnswer } from '../../../src/adapters/wire/agent-frames/answer-writer.js';
import { JsonOctets } from '../../../src/adapters/wire/agent-frames/json-octets.js';
import type { AgentAnswer } from '../../../src/domain/agent-protocol/messages.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The payload of an answer, as a text. */
export const answerJson = (answer: AgentAnswer, correlationId: string): string => {
  const into = new JsonOctets();
  addAnswer(into, { answer, correlationId, additions: null });
  return decoder.decode(into.view());
};
