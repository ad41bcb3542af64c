import type { RejectionAnswer } from '../../../../application/ports/http-engine.js';
import type { RejectedRequest } from '../../../../application/ports/http-exchange.js';
import type { HeadFault } from '../../../wire/http1/head-fault.js';
import { responseHeadText } from '../../../wire/http1/head-text.js';
import { dateLine } from './date-line.js';

/** What a client is told of a head that cannot be read. */
export const rejectionReason = (fault: HeadFault): RejectedRequest['reason'] => {
  switch (fault) {
    case 'first_line_too_long':
      return 'target_too_long';
    case 'head_too_large':
      return 'header_too_large';
    case 'repeated_host':
      return 'invalid_host';
    default:
      return 'malformed';
  }
};

/** The last response of a connection, as it goes out. */
export const rejectionOctets = ({ status, headers, body }: RejectionAnswer): Buffer => {
  const octets = Buffer.from(body);
  const framing = ['Content-Length', String(octets.length), 'Connection', 'close'];
  const head = `${responseHeadText(status, [...headers, ...framing])}${dateLine()}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), octets]);
};
