import type { RejectedRequest } from '../../../../application/ports/gateway/http-exchange.js';
import type { HeadFault } from '../../../wire/http1/head-fault.js';

/** What a client is told of a head that cannot be read. */
export const rejectionReason = (fault: HeadFault): RejectedRequest['reason'] => {
  switch (fault) {
    case 'first_line_too_long':
      return 'target_too_long';
    case 'method_too_long':
      return 'method_too_long';
    case 'head_too_large':
      return 'header_too_large';
    case 'repeated_host':
      return 'invalid_host';
    default:
      return 'malformed';
  }
};
