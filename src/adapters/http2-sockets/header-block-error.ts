import type { HeaderBlockFault } from '../wire/http2/header-block-scanner.js';

/** How a connection ends whose peer sent a header block that is none (RFC 9113, sections 4.3 and 6.10). */
export class HeaderBlockError extends Error {
  override readonly name = 'HeaderBlockError';
  readonly code = 'ERR_HTTP2_HEADER_BLOCK';

  /** `too_much_held`: it is long, and so many others are that there is no room for it. */
  constructor(fault: HeaderBlockFault | 'too_much_held') {
    super(`the peer sent a header block that is not well-formed (${fault})`);
  }
}
