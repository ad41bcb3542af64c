import { faultOf } from '../../../src/adapters/wire/http1/head-fault.js';
import { readResponseHead, responseHead } from '../../../src/adapters/wire/http1/read-response-head.js';
import { ResponseLines } from '../../../src/adapters/wire/http1-responses/response-lines.js';

/** What is known of a response's head once it was read. `text`: all of it, and nothing behind it. */
export const receivedResponse = (text: string): ResponseLines => {
  const reading = readResponseHead(Buffer.from(text, 'latin1'), 0, text.length, text.length);
  if (reading !== text.length) throw new Error(`this is no head of a response: ${faultOf(reading)}`);
  return new ResponseLines(text, responseHead, reading);
};
