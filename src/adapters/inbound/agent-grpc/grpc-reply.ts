import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { messagePrefixBytes } from '../../wire/agent-grpc/prefixed-message-decoder.js';
import type { GrpcStatus } from './grpc-status.js';

const responseHeaders = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-accept-encoding': 'identity',
} as const satisfies OutgoingHttpHeaders;

const statusHeaders = (status: GrpcStatus, message: string): OutgoingHttpHeaders => ({
  'grpc-status': status,
  ...(message !== '' && { 'grpc-message': encodeURI(message) }),
});

/** What a call is answered (gRPC over HTTP/2): metadata, messages, a status. After the status nothing is sent. */
export class GrpcReply {
  readonly #stream: ServerHttp2Stream;
  #isOver = false;
  #isCorked = false;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  /** Whether the status has been sent, or the call has ended otherwise. */
  get isOver(): boolean {
    return this.#isOver || this.#stream.closed || this.#stream.destroyed;
  }

  /** Octets that wait for the peer. */
  get waitingBytes(): number {
    return this.#stream.writableLength;
  }

  /** Sends the metadata, if nothing has been sent yet. */
  sendMetadata(metadata: Readonly<Record<string, string>> = {}): void {
    if (this.isOver || this.#stream.headersSent) return;
    this.#stream.respond({ ...responseHeaders, ...metadata }, { waitForTrailers: true });
  }

  send(message: Uint8Array): void {
    this.sendMetadata();
    if (this.isOver) return;
    const octets = Buffer.allocUnsafe(messagePrefixBytes + message.length);
    octets.writeUInt8(0, 0);
    octets.writeUInt32BE(message.length, 1);
    octets.set(message, messagePrefixBytes);
    // What is answered together leaves together.
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#stream.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#stream.uncork();
      });
    }
    this.#stream.write(octets);
  }

  /** Sends the status after what is written; what still comes is read and dropped. */
  end(status: GrpcStatus, message = ''): void {
    if (this.isOver) return;
    this.#isOver = true;
    const stream = this.#stream;
    if (stream.headersSent) {
      stream.once('wantTrailers', () => {
        // It may have been cut off while the last message left.
        if (stream.closed || stream.destroyed) return;
        stream.sendTrailers(statusHeaders(status, message));
        this.#closeSoon();
      });
      stream.end();
    } else {
      stream.respond({ ...responseHeaders, ...statusHeaders(status, message) }, { endStream: true });
      this.#closeSoon();
    }
    stream.resume();
  }

  /** Ends it at once; only where nothing waits for the peer is it told the status. */
  cutOff(status: GrpcStatus, message: string): void {
    if (this.#stream.destroyed) return;
    if (!this.isOver && this.waitingBytes === 0) {
      this.end(status, message);
      return;
    }
    this.#isOver = true;
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** A caller that goes on sending must not keep the call open. */
  #closeSoon(): void {
    setImmediate(() => this.#stream.close(constants.NGHTTP2_NO_ERROR));
  }
}
