import type {
  ClientBody,
  ClientConnection,
  ClientRequest,
} from '../../../../application/ports/gateway/http-exchange.js';
import { fieldTraits } from '../../../../domain/http/field-traits.js';
import { fieldList } from '../../../wire/http1/field-list.js';
import { FieldNames } from '../../../wire/http1/field-names.js';
import { requestHead } from '../../../wire/http1/read-request-head.js';
import { requestLines } from '../../../wire/http1/request-lines.js';
import type { RequestHeads } from './request-heads.js';

const names = new FieldNames(fieldTraits);

const methods = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'CONNECT', 'TRACE'] as const;

/** The method that a head begins with: the same text, object and all, for those that are well known. */
const requestMethod = (text: string, end: number): string => {
  for (const method of methods) if (method.length === end && text.startsWith(method)) return method;
  return text.slice(0, end);
};

/** Whether a head is that of a CONNECT (RFC 9110, section 9.3.6): what comes behind it is none of HTTP's. */
export const isConnect = (text: string): boolean => text.startsWith('CONNECT ');

/** The request whose head was read last. */
export const readRequest = (
  heads: RequestHeads,
  body: ClientBody | null,
  connection: ClientConnection,
): ClientRequest => {
  const { text, known } = heads;
  const { minorVersion } = requestHead;
  const method = requestMethod(text, requestHead.methodEnd);
  const headers = known === null ? fieldList(text, requestHead, names) : known.fields;
  const lines = known ?? requestLines(text, requestHead, headers, names);
  if (known === null && lines !== null) heads.repeated.note(lines, names);
  return {
    method,
    target: text.slice(requestHead.targetStart, requestHead.targetEnd),
    httpVersion: minorVersion === 1 ? '1.1' : '1.0',
    headers,
    received: lines,
    body,
    connection,
    expectsContinue: requestHead.expectsContinue && minorVersion === 1,
    wantsWebSocket: method === 'GET' && minorVersion === 1 && requestHead.saysUpgrade && requestHead.namesWebSocket,
  };
};
