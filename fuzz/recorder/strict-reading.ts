import {
  readStrictRequest,
  readStrictResponse,
  StrictFault,
  type StrictMessage,
  type StrictResponse,
} from './strict-message.js';

/** All that one side of a connection has sent, read strictly. */
export interface StrictReading<Message> {
  /** The last one may be incomplete. */
  readonly messages: readonly Message[];
  /** What was wrong behind them; null: nothing. */
  readonly fault: string | null;
  /** Octets behind the last message, where nothing was wrong: the begin of a head. */
  readonly rest: string;
}

const readAll = <Message extends StrictMessage>(
  text: string,
  next: (start: number, turn: number) => Message | null,
): StrictReading<Message> => {
  const messages: Message[] = [];
  let at = 0;
  try {
    for (let message = next(at, 0); message !== null; message = next(at, messages.length)) {
      messages.push(message);
      at = message.end;
      if (message.fault !== null) return { messages, fault: message.fault, rest: '' };
      if (!message.isComplete || at >= text.length) break;
    }
  } catch (error) {
    if (!(error instanceof StrictFault)) throw error;
    return { messages, fault: error.message, rest: '' };
  }
  return { messages, fault: null, rest: text.slice(at) };
};

export const strictRequests = (text: string): StrictReading<StrictMessage> =>
  readAll(text, (start) => readStrictRequest(text, start));

/** Responses, and the interim ones among them, which are no messages of their own. */
export interface StrictResponses extends StrictReading<StrictResponse> {
  readonly interims: readonly StrictResponse[];
}

/** `methods`: of the requests that were answered. */
export const strictResponses = (text: string, methods: readonly string[]): StrictResponses => {
  const interims: StrictResponse[] = [];
  const reading = readAll(text, (start, turn) => {
    let response = readStrictResponse(text, start, methods[turn] === 'HEAD');
    while (response !== null && response.status < 200 && response.status !== 101) {
      interims.push(response);
      response = readStrictResponse(text, response.end, methods[turn] === 'HEAD');
    }
    return response;
  });
  // Nothing of what is left stands in front of the last interim response.
  const rest = text.slice(Math.max(text.length - reading.rest.length, interims.at(-1)?.end ?? 0));
  return { ...reading, rest, interims };
};
