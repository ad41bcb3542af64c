/** How a connection ends whose peer was told that it has broken the protocol (RFC 9113, section 5.4.1). */
export class ConnectionFaultError extends Error {
  override readonly name = 'ConnectionFaultError';
  readonly code = 'ERR_HTTP2_CONNECTION_FAULT';

  /** @param errorCode what the peer was told (RFC 9113, section 7) */
  constructor(errorCode: number) {
    super(`what the peer sent is not well-formed (error ${errorCode} of HTTP/2)`);
  }
}
