import type { Metadata } from '@grpc/grpc-js';
import type { CallOctets } from './call-octets.js';
import type { GrpcStatus } from './grpc-status.js';
import type { IncomingMessage, LibraryCall } from './incoming-message.js';
import { acceptedEncodingsKey, readEncoding } from './octet-watch.js';

/** The connection of a call. */
export interface CallConnection {
  /** Closes after pending output, if the peer reads it in time. */
  closeSoon(): void;
  destroy(): void;
}

/** Receives the events of a call. */
export interface CallListener<Message> {
  message(message: IncomingMessage<Message>): void;
  /** The gateway has ended its side. */
  ended(): void;
  /** All pending output has been sent. */
  flowing(): void;
  /** The number of octets in memory has changed. */
  holds(octets: number): void;
  /** The call has ended, on either side. */
  closed(): void;
}

/** Maximum octets that an ended call may hold. More is freed with its connection. */
const maxOctetsAfterEnd = 65_536;

/** One gRPC call. After the status it sends nothing and drops received messages. */
export class GrpcCall<Message> {
  readonly #call: LibraryCall<Message>;
  readonly #octets: CallOctets;
  readonly #connection: CallConnection;
  readonly #newMetadata: () => Metadata;
  #listener: CallListener<Message> | null = null;
  #hasSent = false;
  #isOver = false;
  /** Whether the gateway has ended its side. */
  #hasEnded = false;
  #pendingBytes = 0;

  constructor(call: LibraryCall<Message>, octets: CallOctets, connection: CallConnection, newMetadata: () => Metadata) {
    this.#call = call;
    this.#octets = octets;
    this.#connection = connection;
    this.#newMetadata = newMetadata;
  }

  /** Octets written and not yet sent. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get isWithinMessage(): boolean {
    return this.#octets.isWithinMessage;
  }

  /**
   * Milliseconds since the first octet of the incomplete message; 0 if there is none or reading is
   * paused.
   */
  get arrivingForMs(): number {
    return this.#call.isPaused() ? 0 : this.#octets.arrivingForMs;
  }

  /** Starts to read. */
  listen(listener: CallListener<Message>): void {
    this.#listener = listener;
    this.#octets.onChange = () => listener.holds(this.#octets.held);
    const call = this.#call;
    call.on('end', () => {
      this.#hasEnded = true;
      listener.ended();
    });
    call.on('close', () => {
      // The library also ends calls, at the caller's deadline.
      if (this.#isOver && this.#keepsMemory) this.#connection.destroy();
      else this.#octets.release(this.#hasEnded);
      this.connectionClosed();
    });
    call.on('data', (message: IncomingMessage<Message>) => {
      this.#octets.handled(message.size);
      if (!this.#isOver) listener.message(message);
    });
  }

  /** Nothing more can be received or sent. */
  connectionClosed(): void {
    this.#isOver = true;
    this.#octets.onChange = () => {};
    this.#listener?.closed();
    this.#listener = null;
  }

  pause(): void {
    if (!this.#isOver) this.#call.pause();
  }

  resume(): void {
    if (!this.#call.isPaused()) return;
    this.#octets.restartTime();
    this.#call.resume();
  }

  /** Sends the metadata unless something has been sent. */
  sendMetadata(fields: Readonly<Record<string, string>> = {}): void {
    if (this.#isOver || this.#hasSent) return;
    this.#hasSent = true;
    const metadata = this.#newMetadata();
    metadata.set(acceptedEncodingsKey, readEncoding);
    for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
    this.#call.sendMetadata(metadata);
  }

  /** Sends a message; drops it after the end of the call. */
  send(message: Uint8Array): void {
    this.sendMetadata();
    if (this.#isOver) return;
    const { byteLength } = message;
    this.#pendingBytes += byteLength;
    this.#call.write(Buffer.from(message.buffer, message.byteOffset, byteLength), () => {
      this.#pendingBytes -= byteLength;
      if (this.#pendingBytes === 0) this.#listener?.flowing();
    });
  }

  /** Ends the call with status OK after pending output. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.end();
    this.#call.resume();
  }

  /** Ends the call with an error status after pending output. */
  fail(code: GrpcStatus, details: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The library takes the status from an `error` event.
    this.#call.emit('error', Object.assign(new Error(details), { code, details }));
    this.#call.resume();
  }

  /**
   * Ends the call at once and closes its connection. Sends the status only if no output is pending.
   */
  cutOff(code: GrpcStatus, details: string): void {
    if (this.#pendingBytes > 0 || this.#keepsMemory) {
      this.#isOver = true;
      this.#connection.destroy();
      return;
    }
    this.fail(code, details);
    this.#connection.closeSoon();
  }

  /** If the caller does not end its side, the library keeps a partial message. */
  get #keepsMemory(): boolean {
    return !this.#hasEnded && this.#octets.held > maxOctetsAfterEnd;
  }
}
