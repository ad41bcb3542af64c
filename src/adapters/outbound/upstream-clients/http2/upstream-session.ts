import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TargetClientOptions, UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import { streamAddressText } from '../../../../domain/configuration/schema/grpc-address.js';
import { endSession } from '../../../http2-sockets/end-session.js';
import { HeaderBlockGate } from '../../../http2-sockets/header-block-gate.js';
import { connectStream } from '../../../stream-sockets/node-socket-layer.js';
import { writeBacklog } from '../../../stream-sockets/stream-socket.js';
import type { UpstreamStream } from '../../../stream-sockets/upstream-stream.js';
import { type AlpnProtocol, connectTls } from '../../../tls-sockets/connect-tls.js';
import { tlsFailureText } from '../../../tls-sockets/tls-failure.js';
import { tlsUpstreamStream } from '../../../tls-sockets/tls-upstream-stream.js';
import type { IdleConnection } from '../pool/idle-connection-pool.js';
import { waitText } from '../pool/target-connections.js';
import { classifySessionError, codeName } from './failure-classification.js';
import { ResetBudget } from './reset-budget.js';

/** Most open streams per session, whatever the peer allows. */
export const maxStreams = 100;
/** Most requests per session; stream ids allow 2^30 (RFC 9113, section 5.1.1). */
const maxRequests = 1_000_000;
/** Stream window: unread octets of one response. */
const streamWindow = 262_144;
/** Connection window. Data is acknowledged on arrival, read or not. */
const sessionWindow = 4_194_304;
/** Longest response head in octets, and its fields (RFC 9113, section 6.5.2). */
const maxHeadOctets = 65_536;
const maxHeadFields = 2_000;
/**
 * Idle time before a PING on a session with streams. gRPC servers treat more than one in five
 * minutes as abuse.
 */
const pingAfterMs = 305_000;
/** Time for an idle session to close, in milliseconds. */
const endGraceMs = 1_000;

/** node:http2 requires a URL; it is unused, since every request sets its authority. */
const origin = 'http://upstream';

const http2Only: readonly AlpnProtocol[] = ['h2'];

/** Observes a session. */
export interface SessionListener {
  /** The session is open; the peer's stream limit is known. */
  onReady(session: UpstreamSession): void;
  /** A stream ended, or the peer changed its limit. `wasShut`: previous `isShut`. */
  onRoom(session: UpstreamSession, wasShut: boolean): void;
  /** The session opens no more streams and closes after the open ones. */
  onLeaving(session: UpstreamSession): void;
  /**
   * The session closed. `failure` is the connect failure or the reason for the break. Called once.
   */
  onLost(session: UpstreamSession, failure: UpstreamFailure): void;
}

type SessionSettings = Pick<TargetClientOptions, 'address' | 'tls' | 'connectMs' | 'readMs'>;

/** An HTTP/2 connection to a target, from the connect attempt on. */
export class UpstreamSession implements IdleConnection {
  idleIndex = -1;
  /** When the connect attempt began; monotonic milliseconds. */
  readonly beganMs = performance.now();
  /** Open streams. */
  streams = 0;
  /** Current stream limit, of the peer and of this side. */
  maxStreams = 0;
  /** A response arrived on it before. */
  hasServed = false;
  /** Number of events on its streams. */
  signs = 0;
  /** Opens no more streams. */
  isLeaving = false;
  /** Streams above this id were not processed (RFC 9113, section 6.8). */
  lastStream = Number.POSITIVE_INFINITY;
  readonly #settings: SessionSettings;
  readonly #listener: SessionListener;
  readonly #socket: Socket;
  /** Null until the connection is open. */
  #gate: HeaderBlockGate | null = null;
  #session: ClientHttp2Session | null = null;
  readonly #open = new Set<ClientHttp2Stream>();
  readonly #resets = new ResetBudget();
  #deadline: NodeJS.Timeout | null;
  #keepAlive: NodeJS.Timeout | null = null;
  #isReady = false;
  #isLost = false;
  #isEnding = false;
  /** A PING is unanswered; the session may be dead and gets no new streams. */
  #isDoubted = false;
  #signsSeen = 0;
  #requests = 0;
  /** The session did not open because of a TLS fault. */
  #isHandshakeFault = false;
  #failure: UpstreamFailure | null = null;

  /** @param handshakeFailed called if the TLS handshake fails */
  constructor(settings: SessionSettings, listener: SessionListener, handshakeFailed: () => void = () => undefined) {
    const { address, connectMs, tls } = settings;
    this.#settings = settings;
    this.#listener = listener;
    this.#deadline = setTimeout(() => {
      const missing =
        this.#session === null ? 'TLS connection' : this.#socket.connecting ? 'connection' : 'HTTP/2 settings';
      const detail = `no ${missing} from ${streamAddressText(address)} within ${waitText(connectMs)}`;
      this.#giveUp({ code: 'timed_out', detail });
    }, connectMs);
    if (tls === null) {
      const plain = connectStream(address);
      this.#socket = plain;
      this.#begin(plain);
      return;
    }
    const socket = tlsUpstreamStream(
      connectTls({ address, tls, protocols: http2Only, opened: () => this.#begin(socket) }),
    );
    this.#socket = socket;
    socket.on('error', (error) => {
      this.#isHandshakeFault ||= tlsFailureText(error) !== null;
      this.#failure ??= classifySessionError(error);
    });
    socket.on('close', () => {
      if (this.#session !== null) return;
      handshakeFailed();
      this.#noteLost();
    });
  }

  /** The connection may be written: for TLS, the certificate is verified. */
  #begin(socket: Socket & Pick<UpstreamStream, 'forgiveWrites'>): void {
    // A target that closes has sent responses and GOAWAY before. A failed write must not discard them unread.
    socket.forgiveWrites();
    const gate = new HeaderBlockGate(socket, 'server', (code, lastStream) => this.#noteGoaway(code, lastStream));
    const session = connect(origin, {
      createConnection: () => gate,
      settings: { enablePush: false, initialWindowSize: streamWindow, maxHeaderListSize: maxHeadOctets },
      maxHeaderListPairs: maxHeadFields,
      // The gateway's own limits bound the request head.
      maxSendHeaderBlockLength: 1_048_576,
      // Every open stream may buffer a full window; beyond this, new streams are refused.
      maxSessionMemory: 64,
    });
    this.#gate = gate;
    this.#session = session;
    session.on('connect', () => session.setLocalWindowSize(sessionWindow));
    session.on('remoteSettings', () => this.#noteSettings(session));
    session.on('error', (error) => {
      this.#failure ??= classifySessionError(error);
    });
    // After unreadable input nghttp2 sends nothing more, and node:http2 closes the session.
    session.on('frameError', () => this.leave());
    session.on('close', () => this.#noteLost());
  }

  get isOpen(): boolean {
    return this.#isReady && !this.#isLost && this.#session?.destroyed === false;
  }

  /** Whether another stream may be opened now. */
  get hasRoom(): boolean {
    return (
      this.isOpen &&
      !this.isLeaving &&
      this.#session?.closed === false &&
      !this.#isDoubted &&
      this.streams < this.maxStreams
    );
  }

  /** The peer currently allows no stream. */
  get isShut(): boolean {
    return this.#isReady && !this.isLeaving && this.maxStreams === 0;
  }

  /**
   * A token that changes when the peer takes body data; reliable only with a single open stream.
   */
  get sendingProgress(): string {
    return this.streams === 1 ? `${this.#gate?.sentDataOctets} ${writeBacklog(this.#socket)}` : '';
  }

  /** Why the session broke; null while open or after a normal end. */
  get failure(): UpstreamFailure | null {
    return this.#failure;
  }

  /**
   * Opens a stream. Throws if node:http2 refuses the fields; nothing is sent then.
   * `waitForTrailers` prevents END_STREAM before RST_STREAM on an early close: a cut request would
   * look complete.
   */
  open(fields: OutgoingHttpHeaders, isWhole: boolean): ClientHttp2Stream {
    const session = this.#session;
    if (session === null) throw new Error('the session is not open');
    const stream = session.request(fields, { endStream: isWhole, waitForTrailers: !isWhole });
    this.streams += 1;
    this.#open.add(stream);
    this.#requests += 1;
    stream.once('close', () => {
      this.streams -= 1;
      this.#open.delete(stream);
      // Close it before the peer does, which would end other requests.
      if (!this.#resets.bears(stream.rstCode, performance.now()) && this.isOpen && !this.isLeaving) this.leave();
      this.#listener.onRoom(this, this.isShut);
      this.#endIfUnused();
    });
    if (this.#requests >= maxRequests) this.leave();
    return stream;
  }

  /** Opens no more streams and closes after the last open one. */
  leave(): void {
    this.#noteLeaving();
    this.#endIfUnused();
  }

  /**
   * A request timed out without other activity: sends a PING. The session is closed if no answer
   * arrives in time.
   */
  doubt(): void {
    if (this.#isDoubted || !this.isOpen) return;
    const { readMs } = this.#settings;
    this.#isDoubted = true;
    const deadline = setTimeout(() => {
      this.#giveUp({ code: 'timed_out', detail: `no answer to a PING within ${waitText(readMs)}` });
    }, readMs);
    const wasShut = this.isShut;
    const isSent = this.#session?.ping((error) => {
      clearTimeout(deadline);
      if (error !== null) return;
      this.#isDoubted = false;
      if (!this.#isLost) this.#listener.onRoom(this, this.isShut);
    });
    if (isSent !== true) clearTimeout(deadline);
    this.#listener.onRoom(this, wasShut);
  }

  /** Closes the session at once. */
  destroy(): void {
    this.#noteLeaving();
    // The session ends with the socket; see `endSession` for why it is not destroyed.
    this.#socket.destroy();
  }

  /** GOAWAY (RFC 9113, section 6.8). */
  #noteGoaway(code: number, lastStream: number): void {
    this.lastStream = Math.min(this.lastStream, lastStream);
    if (code !== 0) {
      this.#failure ??= { code: 'unreachable', detail: `the target has ended the session (${codeName(code)})` };
      this.destroy();
      return;
    }
    this.leave();
    for (const stream of this.#open) {
      if ((stream.id ?? Number.POSITIVE_INFINITY) > this.lastStream) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    }
  }

  #endIfUnused(): void {
    if (!this.isLeaving || this.streams > 0 || this.#isEnding || this.#isLost) return;
    this.#isEnding = true;
    if (this.#session === null) this.#socket.destroy();
    else endSession(this.#session);
    // A peer that does not read keeps the deadline.
    this.#clearDeadline();
    this.#deadline = setTimeout(() => this.#socket.destroy(), endGraceMs);
  }

  #noteSettings(session: ClientHttp2Session): void {
    const wasShut = this.isShut;
    const allowed = session.remoteSettings.maxConcurrentStreams ?? maxStreams;
    this.maxStreams = Math.min(maxStreams, allowed);
    if (this.#isReady) {
      this.#listener.onRoom(this, wasShut);
      return;
    }
    this.#isReady = true;
    this.#clearDeadline();
    this.#keepAlive = setInterval(() => this.#lookAfter(), pingAfterMs).unref();
    this.#listener.onReady(this);
  }

  #lookAfter(): void {
    const isSilent = this.signs === this.#signsSeen;
    this.#signsSeen = this.signs;
    if (isSilent && this.streams > 0) this.doubt();
  }

  #noteLeaving(): void {
    if (this.isLeaving) return;
    const wasShut = this.isShut;
    this.isLeaving = true;
    if (wasShut) this.#listener.onRoom(this, true);
    this.#listener.onLeaving(this);
  }

  #giveUp(failure: UpstreamFailure): void {
    this.#failure ??= failure;
    this.destroy();
  }

  #noteLost(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#clearDeadline();
    if (this.#keepAlive) clearInterval(this.#keepAlive);
    const failure = this.#failure ?? { code: 'unreachable', detail: 'the connection was closed' };
    const isUnconnected =
      !this.#isReady && !this.#isHandshakeFault && (failure.code === 'unreachable' || failure.code === 'timed_out');
    this.#listener.onLost(this, { ...failure, neverSent: true, ...(isUnconnected ? { isUnconnected } : {}) });
  }

  #clearDeadline(): void {
    if (this.#deadline) clearTimeout(this.#deadline);
    this.#deadline = null;
  }
}
