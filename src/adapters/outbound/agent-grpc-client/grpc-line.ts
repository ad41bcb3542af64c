import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { ConnectionEnd } from '../../../application/ports/agent-connector.js';
import type { Scheduler } from '../../../application/ports/scheduler.js';
import type { GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';
import type { GrpcAgentToProxy, GrpcProxyControl } from '../../wire/agent-grpc/grpc-reports.js';
import { ownedHeadersKey } from '../../wire/agent-grpc/owned-headers-metadata.js';
import { PrefixedMessageDecoder } from '../../wire/agent-grpc/prefixed-message-decoder.js';
import type { CalledAgentService, GrpcConnectorOptions } from './grpc-client-options.js';
import { GrpcOutbox } from './grpc-outbox.js';
import { foreignAnswer, statusEnd } from './grpc-status.js';

/** Who is told what comes. Nothing is told after `onEnd`, or after `close`. */
export interface GrpcLineListener {
  /** What the agent's metadata, which comes before its first message, says of owned headers: the values of the field. */
  onOwnedHeaders(values: readonly string[]): void;
  onMessage(message: GrpcAgentToProxy): void;
  /** HTTP/2 says that the agent takes no new streams: it is about to go. */
  onGoaway(): void;
  onRoom(): void;
  onEnd(end: ConnectionEnd): void;
}

export interface GrpcLinePlan {
  /** Connected, and trusted. */
  readonly socket: Socket;
  readonly isSecure: boolean;
  /** `:authority`. */
  readonly authority: string;
}

/** A ProcessStream on an HTTP/2 connection of its own, and a ControlStream beside it. */
export class GrpcLine {
  readonly #service: CalledAgentService;
  readonly #socket: Socket;
  readonly #options: GrpcConnectorOptions;
  readonly #scheduler: Scheduler;
  readonly #listener: GrpcLineListener;
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #outbox: GrpcOutbox;
  readonly #decoder = new PrefixedMessageDecoder();
  #status: ConnectionEnd | null = null;
  #isBusy = false;
  #isOver = false;

  constructor(
    service: CalledAgentService,
    { socket, isSecure, authority }: GrpcLinePlan,
    options: GrpcConnectorOptions,
    scheduler: Scheduler,
    listener: GrpcLineListener,
  ) {
    this.#service = service;
    this.#socket = socket;
    this.#options = options;
    this.#scheduler = scheduler;
    this.#listener = listener;
    this.#session = connect(`${isSecure ? 'https' : 'http'}://${authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    this.#session.on('error', (error) => this.#end({ kind: 'ended', detail: error.message }));
    this.#session.on('close', () => this.#end(this.#lastWord()));
    this.#session.on('goaway', (code) => {
      if (code === constants.NGHTTP2_NO_ERROR && !this.#isOver) this.#listener.onGoaway();
    });
    this.#stream = this.#request(service.ProcessStream.path);
    this.#outbox = new GrpcOutbox(this.#stream, () => this.#onLeft());
    this.#stream.on('response', (fields) => {
      if (this.#isOver) return;
      this.#status = foreignAnswer(fields) ?? statusEnd(fields);
      const owned = fields[ownedHeadersKey];
      this.#listener.onOwnedHeaders(typeof owned === 'string' ? [owned] : (owned ?? []));
    });
    this.#stream.on('trailers', (fields) => {
      this.#status ??= statusEnd(fields);
    });
    this.#stream.on('data', (octets: Buffer) => this.#onData(octets));
    this.#stream.on('end', () => this.#end(this.#lastWord()));
    this.#stream.on('error', (error) => this.#end({ kind: 'ended', detail: error.message }));
    this.#stream.on('close', () => {
      this.#end(this.#lastWord());
      // All that was written has left, or never will.
      this.#destroy();
    });
  }

  /** Whether so much output waits that no further call should go by it. */
  get isBusy(): boolean {
    return this.#outbox.pendingBytes >= this.#options.busyOutputBytes;
  }

  /** False where it is larger than a message can be. */
  send(message: GrpcProxyToAgent): boolean {
    const octets = this.#service.ProcessStream.requestSerialize(message);
    if (octets.length > this.#options.maxMessageBytes) return false;
    if (this.#isOver) return true;
    this.#outbox.send(octets);
    this.#isBusy ||= this.isBusy;
    return true;
  }

  /** Opens a ControlStream too. Not every agent serves it, so that its end means nothing. */
  openControl(onMessage: (message: GrpcProxyControl) => void): void {
    const { path, responseDeserialize } = this.#service.ControlStream;
    if (this.#session.closed) return;
    const control = this.#request(path);
    const decoder = new PrefixedMessageDecoder();
    control.on('error', () => {});
    control.on('data', (octets: Buffer) => {
      decoder.push(octets);
      for (let message = decoder.next(); message !== null && !this.#isOver; message = decoder.next()) {
        const read = this.#read(message, responseDeserialize);
        if (read !== null) onMessage(read);
        else control.close(constants.NGHTTP2_CANCEL);
      }
      if (decoder.failure !== null) control.close(constants.NGHTTP2_CANCEL);
    });
  }

  /** Ends it after what was written has left, if the agent reads it in time. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#outbox.flush();
    this.#stream.end();
    this.#scheduler.after(this.#options.handshakeTimeoutMs, () => this.#destroy());
  }

  /** Ends it at once. */
  abort(): void {
    this.#isOver = true;
    this.#destroy();
  }

  #request(path: string): ClientHttp2Stream {
    return this.#session.request({
      ':method': 'POST',
      ':path': path,
      te: 'trailers',
      'content-type': 'application/grpc',
      'grpc-accept-encoding': 'identity',
    });
  }

  #read<Message>(octets: Uint8Array, deserialize: (octets: Buffer) => Message): Message | null {
    try {
      return deserialize(Buffer.from(octets.buffer, octets.byteOffset, octets.length));
    } catch {
      return null;
    }
  }

  #onData(octets: Buffer): void {
    if (this.#isOver || this.#status !== null) return;
    this.#decoder.push(octets);
    for (let message = this.#decoder.next(); message !== null; message = this.#decoder.next()) {
      const read = this.#read(message, this.#service.ProcessStream.responseDeserialize);
      if (read === null) this.#end({ kind: 'malformed', detail: 'a message that is none' });
      else this.#listener.onMessage(read);
      if (this.#isOver) return;
    }
    if (this.#decoder.failure !== null) this.#end({ kind: 'malformed', detail: this.#decoder.failure });
  }

  #onLeft(): void {
    if (!this.#isBusy || this.isBusy) return;
    this.#isBusy = false;
    if (!this.#isOver) this.#listener.onRoom();
  }

  #lastWord(): ConnectionEnd {
    return this.#status ?? { kind: 'ended', detail: 'the agent ended the connection' };
  }

  #end(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.abort();
    this.#listener.onEnd(end);
  }

  #destroy(): void {
    // Takes the session with it. To destroy that one, from within what it has just told, never comes back (Node 20).
    this.#socket.destroy();
  }
}
