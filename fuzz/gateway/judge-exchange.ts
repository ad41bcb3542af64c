import { type StrictMessage, type StrictResponse, valuesIn } from '../recorder/strict-message.js';
import { type StrictReading, strictResponses } from '../recorder/strict-reading.js';

const methodOf = ({ line }: StrictMessage): string => line.slice(0, line.indexOf(' '));

/** Whether one message that went out can be what came of this one that came in. */
const comesOf = (out: StrictMessage, asked: StrictMessage): boolean => {
  if (methodOf(out) !== methodOf(asked)) return false;
  if (out.isComplete && asked.isComplete) return out.body === asked.body;
  // A body that never ended may have been cut anywhere; one that ended must not come of one that did not.
  return !out.isComplete && asked.body.startsWith(out.body);
};

/** What is wrong with what went out, seen from what came in; null: nothing. */
export const judgeRequests = (asked: StrictReading<StrictMessage>, out: readonly StrictMessage[]): string | null => {
  if (out.length > asked.messages.length) return 'more requests go out than came in';
  let next = 0;
  for (const message of out) {
    while (next < asked.messages.length && !comesOf(message, asked.messages[next] as StrictMessage)) next += 1;
    if (next >= asked.messages.length) return 'a request goes out that did not come in';
    next += 1;
  }
  return null;
};

const isRefusal = (message: StrictResponse | undefined): boolean =>
  message !== undefined && message.status >= 400 && valuesIn(message.fields, 'connection').includes('close');

/** What the client got, by the requests that it sent. */
const gotBy = (asked: StrictReading<StrictMessage>, text: string): StrictReading<StrictResponse> => {
  const methods = asked.messages.map(methodOf);
  const got = strictResponses(text, methods);
  if (got.fault === null && got.rest === '') return got;
  // Who refuses octets knows no method: such a refusal has content, also where HEAD was meant.
  const plain = strictResponses(text, methods.slice(0, got.messages.length - 1));
  return isRefusal(plain.messages.at(-1)) ? plain : got;
};

/** What is wrong with what the client got; null: nothing. */
export const judgeResponses = (asked: StrictReading<StrictMessage>, text: string, isClosed: boolean): string | null => {
  const got = gotBy(asked, text);
  if (got.fault !== null) return 'the client gets no sound response';
  if (got.rest !== '' && isClosed) return 'the client gets a part of a head';
  const isAnsweredBehind = asked.fault !== null || asked.rest !== '' ? 1 : 0;
  if (got.messages.length > asked.messages.length + isAnsweredBehind)
    return 'more responses come than there were requests';
  return null;
};
