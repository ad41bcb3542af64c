import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type {
  EngineLimits,
  RejectionAnswer,
  RequestHandler,
} from '../../../../application/ports/gateway/http-engine.js';
import type { ClientConnection, ClientRequest } from '../../../../application/ports/gateway/http-exchange.js';
import { boundLateWrites } from '../../../event-loop-batching/event-loop-turn.js';
import { endSession } from '../../../http2-sockets/end-session.js';
import { HeaderBlockGate } from '../../../http2-sockets/header-block-gate.js';
import { Deadline, type Deadlines, type ListenerTimers } from '../connections/deadlines.js';
import { Http2Body } from './http2-body.js';
import { Http2Response } from './http2-response.js';
import { PayloadMeter, sessionOptions, sessionWindow, streamWindow } from './session-options.js';
import { readStreamHead, type StreamHead } from './stream-head.js';
import { StreamWriter, type WrittenConnection } from './stream-writer.js';

/** Token bucket per connection: 100 protocol errors or 500 resets at once. */
const burst = 500;

/** Tokens refilled per second. */
const forgivenPerSecond = 50;

const faultCost = 5;

/** Stream end codes that are not the client's fault. */
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
 * Limits streams that the client resets (CVE-2023-44487) or forces the gateway to reset by protocol
 * errors. nghttp2 counts only the former and keeps the connection open.
 */
export class StreamFaults {
  #cost = 0;
  #countedMs = 0;

  /**
   * Call it at the end of each stream.
   * @param code reset code; 0 may be a normal end
   */
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

/** Time for a client to read the final frames, in milliseconds. */
const closeGraceMs = 1_000;

/** Interval of the flood check, in milliseconds. */
const lookMs = 1_000;

/** An HTTP/2 connection (RFC 9113). Streams become requests; abuse closes the connection. */
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
  /** Monotonic clock. */
  #idleSinceMs = performance.now();
  /** Idle deadline; the first stream is due within the head timeout. */
  #idleEndsMs: number;

  /** `socket`: data already read was unshifted. */
  constructor(socket: Socket, client: ClientConnection, serving: Http2Serving) {
    this.socket = socket;
    this.deadlines = serving.deadlines;
    this.#client = client;
    this.#serving = serving;
    this.#idleEndsMs = this.#idleSinceMs + serving.patience.timeouts.headMs;
    // HTTP/2 has no half-close of connections: a client that ended is gone.
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

  /** Open streams. */
  get size(): number {
    return this.#size;
  }

  /** No stream has been open since `momentMs` (monotonic clock). */
  hasBeenIdleSince(momentMs: number): boolean {
    return this.#size === 0 && this.#idleSinceMs <= momentMs;
  }

  /** Sends GOAWAY and accepts no further streams. Closes with the last open stream. */
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

  /** No stream is open or will come. */
  #end(): void {
    this.#gate.linger();
    endSession(this.#session);
    this.#cutIn(closeGraceMs);
  }

  #cutIn(delayMs: number): void {
    if (this.socket.destroyed) return;
    const dueMs = performance.now() + delayMs;
    // The earlier of two deadlines wins.
    if (this.#cut.slot < 0 || this.#cut.dueMs > dueMs) this.deadlines.set(this.#cut, dueMs);
  }

  #lookLater(): void {
    if (this.socket.destroyed) return;
    const nextMs = performance.now() + lookMs;
    this.deadlines.set(this.#nextLook, this.#size > 0 ? nextMs : Math.min(nextMs, this.#idleEndsMs));
  }

  #look(): void {
    // Unread body data is not counted yet.
    if (this.meter.isFlood(this.socket.bytesRead - this.#size * streamWindow)) {
      this.#endInAnger();
      return;
    }
    if (this.#size === 0 && performance.now() >= this.#idleEndsMs) this.close();
    else this.#lookLater();
  }

  /** ENHANCE_YOUR_CALM (RFC 9113, section 10.5). */
  #endInAnger(): void {
    this.#isClosing = true;
    // Node ignores the code unless there is an error.
    endSession(this.#session, new Error('the client floods'), constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.#cutIn(closeGraceMs);
  }

  #take(stream: ServerHttp2Stream, flags: number, raw: readonly string[]): void {
    stream.on('error', () => undefined);
    // A stream that was reset in the same packet is not started.
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
      // Data in flight at an early end was sent in good faith.
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
    // CONNECT has no body: data after it belongs to the tunnel.
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
