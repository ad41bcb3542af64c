import type { Metadata } from '@grpc/grpc-js';
import type { CallOctets } from './call-octets.js';
import type { GrpcStatus } from './grpc-status.js';
import type { IncomingMessage, LibraryCall } from './incoming-message.js';
import { acceptedEncodingsKey, readEncoding } from './octet-watch.js';

/** What a call needs of the connection that it came by. */
export interface CallConnection {
  /** Ends it, with what has just been sent if the peer reads that. */
  closeSoon(): void;
  destroy(): void;
}

/** What whoever serves a call is told of it. */
export interface CallListener<Message> {
  message(message: IncomingMessage<Message>): void;
  /** The gateway has sent its last. */
  ended(): void;
  /** What waited for the gateway has left. */
  flowing(): void;
  /** What the call holds has changed. */
  holds(octets: number): void;
  /** It is over, whoever ended it. */
  closed(): void;
}

/** What a call that is over may hold, in octets: more is freed with its connection. */
const maximumLeftOver = 65_536;

/** One call: messages, metadata, a status. After the status nothing is sent, and what comes is dropped. */
export class GrpcCall<Message> {
  readonly #call: LibraryCall<Message>;
  readonly #octets: CallOctets;
  readonly #connection: CallConnection;
  readonly #newMetadata: () => Metadata;
  #listener: CallListener<Message> | null = null;
  #hasSent = false;
  #isOver = false;
  /** Whether the gateway has sent its last. */
  #hasEnded = false;
  #waitingBytes = 0;

  constructor(call: LibraryCall<Message>, octets: CallOctets, connection: CallConnection, newMetadata: () => Metadata) {
    this.#call = call;
    this.#octets = octets;
    this.#connection = connection;
    this.#newMetadata = newMetadata;
  }

  /** Octets that wait for the peer. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get isWithinMessage(): boolean {
    return this.#octets.isWithinMessage;
  }

  /** How long a message has been coming while messages are read; 0 where none is. */
  get arrivingForMs(): number {
    return this.#call.isPaused() ? 0 : this.#octets.arrivingForMs;
  }

  /** Begins to read. */
  listen(listener: CallListener<Message>): void {
    this.#listener = listener;
    this.#octets.onChange = () => listener.holds(this.#octets.held);
    const call = this.#call;
    call.on('end', () => {
      this.#hasEnded = true;
      listener.ended();
    });
    call.on('close', () => {
      // Whoever ended it: the library does at the deadline that the caller names.
      if (this.#isOver && this.#keepsMemory) this.#connection.destroy();
      else this.#octets.release(this.#hasEnded);
      this.connectionClosed();
    });
    call.on('data', (message: IncomingMessage<Message>) => {
      this.#octets.handled(message.size);
      if (!this.#isOver) listener.message(message);
    });
  }

  /** Nothing more comes, and nothing more can be sent. */
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

  /** Sends the metadata, if nothing has been sent yet. */
  sendMetadata(fields: Readonly<Record<string, string>> = {}): void {
    if (this.#isOver || this.#hasSent) return;
    this.#hasSent = true;
    const metadata = this.#newMetadata();
    metadata.set(acceptedEncodingsKey, readEncoding);
    for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
    this.#call.sendMetadata(metadata);
  }

  /** What can no longer be sent is dropped. */
  send(message: Uint8Array): void {
    this.sendMetadata();
    if (this.#isOver) return;
    const { byteLength } = message;
    this.#waitingBytes += byteLength;
    this.#call.write(Buffer.from(message.buffer, message.byteOffset, byteLength), () => {
      this.#waitingBytes -= byteLength;
      if (this.#waitingBytes === 0) this.#listener?.flowing();
    });
  }

  /** Ends it well, after what is written. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.end();
    this.#call.resume();
  }

  /** Ends it with another status, after what is written. */
  fail(code: GrpcStatus, details: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // This is how the library is told.
    this.#call.emit('error', Object.assign(new Error(details), { code, details }));
    this.#call.resume();
  }

  /** Ends it at once, and the connection with it; only where nothing waits for the peer is it told the status. */
  cutOff(code: GrpcStatus, details: string): void {
    if (this.#waitingBytes > 0 || this.#keepsMemory) {
      this.#isOver = true;
      this.#connection.destroy();
      return;
    }
    this.fail(code, details);
    this.#connection.closeSoon();
  }

  /** A caller that does not end its side keeps what it sent of a message, though nobody will read it. */
  get #keepsMemory(): boolean {
    return !this.#hasEnded && this.#octets.held > maximumLeftOver;
  }
}
