import { isFieldValue, isToken } from '../http/field-syntax.js';
import type { HeaderList } from '../http/header-list.js';
import { headerOperationsFault } from './header-operations.js';
import type { AgentAnswer, AgentDecision, AgentEvent } from './messages.js';

const isStatusBetween = (status: number, from: number, to: number): boolean =>
  Number.isInteger(status) && status >= from && status <= to;

const headersFault = (headers: HeaderList): string | null => {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (!isToken(headers[index] as string)) return 'a header of the decision has no valid name';
    if (!isFieldValue(headers[index + 1] as string)) return `the value of ${headers[index]} is no header value`;
  }
  return null;
};

const isVisible = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return false;
  }
  return text.length > 0;
};

const decisionFault = (decision: AgentDecision): string | null => {
  switch (decision.kind) {
    case 'allow':
      return null;
    case 'block':
      if (!isStatusBetween(decision.status, 200, 599)) return `block with status ${decision.status}`;
      return headersFault(decision.headers);
    case 'redirect':
      if (!isStatusBetween(decision.status, 300, 399)) return `redirect with status ${decision.status}`;
      return isVisible(decision.url) ? null : 'redirect to a URL with characters that no URL may hold';
    case 'challenge':
      if (!isToken(decision.challengeType)) return 'challenge of no valid type';
      for (const [name, value] of Object.entries(decision.params)) {
        if (!isToken(name) || !isFieldValue(value)) return 'challenge with an invalid parameter';
      }
      return null;
  }
};

/** Whether the agent's next answer depends on body chunks to come. */
export const opensDialogue = (answer: AgentAnswer): boolean => answer.needsMore && answer.decision.kind === 'allow';

/**
 * What makes an answer to an event malformed, or null: a status that a decision of its kind cannot have, header
 * operations or headers that are none, or `needsMore` after the last chunk. The same for every transport: an answer in
 * doubt is a malformed one, never an allow. The text holds no value: values may be secrets.
 */
export const answerFault = (answer: AgentAnswer, event: AgentEvent): string | null => {
  if (opensDialogue(answer) && event.kind === 'request_body_chunk' && event.isLast) {
    return 'needs_more after the last chunk';
  }
  return (
    decisionFault(answer.decision) ??
    headerOperationsFault(answer.requestHeaders) ??
    headerOperationsFault(answer.responseHeaders)
  );
};
