import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type {
  EngineLimits,
  RejectionAnswer,
  RequestHandler,
} from '../../../../application/ports/gateway/http-engine.js';
import type { ClientConnection, ClientRequest } from '../../../../application/ports/gateway/http-exchange.js';
import { boundLateWrites } from '../../../event-loop-batching/deferred-writes.js';
import { endSession } from '../../../http2-sockets/end-session.js';
import { HeaderBlockGate } from '../../../http2-sockets/header-block-gate.js';
import type { ListenerTimers } from '../connections/listener-timers.js';
import type { Deadlines } from '../core/deadlines.js';
import { Deadline } from './deadline.js';
import { Http2Body } from './http2-body.js';
import { Http2Response } from './http2-response.js';
import { PayloadMeter, sessionOptions, sessionWindow, streamWindow } from './session-options.js';
import { readStreamHead, type StreamHead } from './stream-head.js';
import { StreamWriter, type WrittenConnection } from './stream-writer.js';

/** What the streams of a connection may have cost at once: 100 faults, or 500 streams that were reset. */
const burst = 500;

/** What is forgiven in a second. */
const forgivenPerSecond = 50;

const faultCost = 5;

/** Ends of streams that the client has not brought about, or that are none of its fault. */
const harmless: ReadonlySet<number> = new Set([constants.NGHTTP2_INTERNAL_ERROR]);

const faults: ReadonlySet<number> = new Set([
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_STREAM_CLOSED,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_REFUSED_STREAM,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
]);

/**
 * Counts the streams of a connection that the client has reset (CVE-2023-44487), and those that it had the gateway reset by
 * breaking the rules, which cost the same. nghttp2 counts the former alone, and leaves the connection standing.
 */
export class StreamFaults {
  #cost = 0;
  #countedMs = 0;

  /** To be told of the end of each stream. @param code what it was reset for; 0: it may have ended well */
  areTooMany(code: number, nowMs: number): boolean {
    if (code === constants.NGHTTP2_NO_ERROR || harmless.has(code)) return false;
    const forgiven = ((nowMs - this.#countedMs) * forgivenPerSecond) / 1_000;
    this.#cost = Math.max(0, this.#cost - forgiven) + (faults.has(code) ? faultCost : 1);
    this.#countedMs = nowMs;
    return this.#cost > burst;
  }
}

/** What the HTTP/2 connections of a listener share. */
export interface Http2Serving {
  readonly handler: RequestHandler;
  readonly limits: EngineLimits;
  readonly patience: ListenerTimers;
  readonly deadlines: Deadlines;
}

/** How long a client has to take the end of a connection, in milliseconds. */
const closeGraceMs = 1_000;

/** How often a connection is looked at, in milliseconds: what its frames were good for. */
const lookMs = 1_000;

/** A connection that speaks HTTP/2 (RFC 9113): its streams become requests, and what is no good faith ends it. */
export class Http2Connection implements WrittenConnection {
  readonly socket: Socket;
  readonly deadlines: Deadlines;
  readonly meter = new PayloadMeter();
  readonly #client: ClientConnection;
  readonly #serving: Http2Serving;
  readonly #gate: HeaderBlockGate;
  readonly #session: ServerHttp2Session;
  readonly #faults = new StreamFaults();
  readonly #nextLook: Deadline;
  readonly #cut = new Deadline(() => this.socket.destroy());
  #size = 0;
  #isClosing = false;
  /** By the monotonic clock. */
  #idleSinceMs = performance.now();
  /** When it ends if no stream comes; of the first one the patience is that for a head. */
  #idleEndsMs: number;

  /** `socket`: what has been read of it already was put back. */
  constructor(socket: Socket, client: ClientConnection, serving: Http2Serving) {
    this.socket = socket;
    this.deadlines = serving.deadlines;
    this.#client = client;
    this.#serving = serving;
    this.#idleEndsMs = this.#idleSinceMs + serving.patience.timeouts.headMs;
    // A client that sends no more has gone: there is no half of a connection in HTTP/2.
    socket.allowHalfOpen = false;
    socket.on('error', () => socket.destroy());
    this.#gate = new HeaderBlockGate(socket, 'client', () => this.close());
    const session = performServerHandshake(this.#gate, sessionOptions(serving.limits));
    this.#session = session;
    session.setLocalWindowSize(sessionWindow);
    session.on('error', () => undefined);
    session.on('stream', (stream: ServerHttp2Stream, _headers: unknown, flags: number, raw?: readonly string[]) =>
      this.#take(stream, flags, raw ?? []),
    );
    this.#nextLook = new Deadline(() => this.#look());
    this.#lookLater();
    socket.on('close', () => {
      this.deadlines.remove(this.#nextLook);
      this.deadlines.remove(this.#cut);
    });
  }

  /** Streams that are open. */
  get size(): number {
    return this.#size;
  }

  /** No stream has been open since that moment, by the monotonic clock. */
  hasBeenIdleSince(momentMs: number): boolean {
    return this.#size === 0 && this.#idleSinceMs <= momentMs;
  }

  /** Takes no more streams, and says so (GOAWAY): those on their way have not been seen. The connection ends with the last of those that are open. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (!this.#session.destroyed) this.#session.goaway(constants.NGHTTP2_NO_ERROR);
    if (this.#size === 0) this.#end();
  }

  retire(graceMs: number): void {
    this.close();
    if (this.#size > 0) this.#cutIn(graceMs);
  }

  /** No stream is open, and none is to come. */
  #end(): void {
    this.#gate.linger();
    endSession(this.#session);
    this.#cutIn(closeGraceMs);
  }

  #cutIn(delayMs: number): void {
    if (this.socket.destroyed) return;
    const dueMs = performance.now() + delayMs;
    // The sooner of two stands.
    if (this.#cut.slot < 0 || this.#cut.dueMs > dueMs) this.deadlines.set(this.#cut, dueMs);
  }

  #lookLater(): void {
    if (this.socket.destroyed) return;
    const nextMs = performance.now() + lookMs;
    this.deadlines.set(this.#nextLook, this.#size > 0 ? nextMs : Math.min(nextMs, this.#idleEndsMs));
  }

  #look(): void {
    // Bodies that wait to be read are not counted yet.
    if (this.meter.isFlood(this.socket.bytesRead - this.#size * streamWindow)) {
      this.#endInAnger();
      return;
    }
    if (this.#size === 0 && performance.now() >= this.#idleEndsMs) this.close();
    else this.#lookLater();
  }

  /** RFC 9113, section 10.5. */
  #endInAnger(): void {
    this.#isClosing = true;
    // Without an error Node passes the code over.
    endSession(this.#session, new Error('the client floods'), constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.#cutIn(closeGraceMs);
  }

  #take(stream: ServerHttp2Stream, flags: number, raw: readonly string[]): void {
    stream.on('error', () => undefined);
    // What was reset in the packet that it came in is not begun at all.
    if (stream.destroyed || stream.closed) {
      this.#note(stream);
      return;
    }
    this.#size += 1;
    const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    const { patience, limits, handler } = this.#serving;
    const head = readStreamHead(raw, limits.maxHeadBytes);
    const asked = { isHead: head.ok && head.value.method === 'HEAD', hasBody };
    const writer = new StreamWriter(stream, this, patience.timeouts.bodyMs);
    const response = new Http2Response(stream, asked, writer, () => this.close());
    stream.on('close', () => {
      // What was on its way when it ended early was sent in good faith.
      if (hasBody && (response.isRestRefused || !stream.readableEnded)) this.meter.forgive(streamWindow);
      this.#left(stream);
    });
    if (!head.ok) {
      const { status, headers, body }: RejectionAnswer = handler.reject({
        connection: this.#client,
        reason: head.error,
      });
      response.send(status, headers, body, false);
      return;
    }
    this.meter.octets += head.value.octets;
    boundLateWrites();
    handler.handle(this.#request(stream, head.value, hasBody), response);
  }

  #request(stream: ServerHttp2Stream, head: StreamHead, hasBody: boolean): ClientRequest {
    const { method, target, headers, length, expectsContinue } = head;
    const { patience, deadlines } = this.#serving;
    // CONNECT has no body: what follows it would belong to the tunnel.
    const isRead = hasBody && method !== 'CONNECT';
    return {
      method,
      target,
      httpVersion: '2.0',
      headers,
      body: isRead ? new Http2Body(stream, length, expectsContinue, patience.body, deadlines, this.meter) : null,
      connection: this.#client,
      expectsContinue,
      received: null,
      wantsWebSocket: false,
    };
  }

  #left(stream: ServerHttp2Stream): void {
    this.#size -= 1;
    this.#note(stream);
    if (this.#size > 0) return;
    const nowMs = performance.now();
    this.#idleSinceMs = nowMs;
    this.#idleEndsMs = nowMs + this.#serving.patience.timeouts.idleMs;
    if (this.#isClosing) this.#end();
    else this.#lookLater();
  }

  #note(stream: ServerHttp2Stream): void {
    if (this.#faults.areTooMany(stream.rstCode, performance.now())) this.#endInAnger();
  }
}
