import type { RejectionAnswer } from '../../../../application/ports/gateway/http-engine.js';
import { responseHeadText } from '../../../wire/http1/head-text.js';
import { dateLine } from './date-line.js';

/** The last response of a connection, of HTTP/1.1, as it goes out: to be written at once. */
export const rejectionOctets = ({ status, headers, body }: RejectionAnswer): Buffer => {
  const octets = Buffer.from(body);
  const framing = ['Content-Length', String(octets.length), 'Connection', 'close'];
  const head = `${responseHeadText(status, [...headers, ...framing])}${dateLine()}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), octets]);
};
