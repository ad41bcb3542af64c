import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import type { TargetClientSettings, UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import { endSession } from '../../../http2-sockets/end-session.js';
import { HeaderBlockGate } from '../../../http2-sockets/header-block-gate.js';
import type { RestingConnection } from '../pool/resting-connections.js';
import { waitText } from '../pool/target-connections.js';
import { writeBacklog } from '../pool/write-backlog.js';
import { classifySessionError, codeName } from './failure-classification.js';
import { ResetBudget } from './reset-budget.js';

/** Streams that are open on one session at once, whatever more its peer allows. */
export const maxStreams = 100;
/** Requests that a session serves at the most: RFC 9113, section 5.1.1, has no more than 2^30 of them. */
const maxRequests = 1_000_000;
/** Octets that may come of one response before they are read. */
const streamWindow = 262_144;
/** Octets that may be on their way for all streams of a session. What has come is acknowledged at once, read or not. */
const sessionWindow = 4_194_304;
/** Octets of a response head, by the count of RFC 9113, section 6.5.2, and its fields. */
const maxHeadOctets = 65_536;
const maxHeadFields = 2_000;
/** Silence after which the system asks whether the other side is still there. */
const keepAliveMs = 60_000;
/** The same for a session with streams, by PING. Servers for gRPC take more than one in five minutes for an attack. */
const pingAfterMs = 305_000;
/** How long the end of a session may take that nothing is open on, in milliseconds. */
const endGraceMs = 1_000;

/** node:http2 wants a URL; no part of it is used: every request has an authority of its own. */
const origin = 'http://upstream';

/** Who is told of what becomes of a session. */
export interface SessionListener {
  /** It stands: the peer has said how many streams it takes. */
  onReady(session: UpstreamSession): void;
  /** A stream has ended, or the peer takes more or fewer than before. `wasShut`: see `isShut`. */
  onRoom(session: UpstreamSession, wasShut: boolean): void;
  /** It takes no more streams, and ends with those that it has. */
  onLeaving(session: UpstreamSession): void;
  /** It has ended. `failure`: that of one that was still being made, else why it broke. Told once. */
  onLost(session: UpstreamSession, failure: UpstreamFailure): void;
}

type SessionSettings = Pick<TargetClientSettings, 'address' | 'connectMs' | 'readMs'>;

/** A connection over which HTTP/2 is spoken with a target, from the attempt to connect on. */
export class UpstreamSession implements RestingConnection {
  restingAt = -1;
  /** Streams that are open. */
  streams = 0;
  /** Those that the peer takes, and we want, at once. */
  maxStreams = 0;
  /** A response has come over it. */
  hasServed = false;
  /** How often something has come for any of its streams. */
  signs = 0;
  /** It takes no more streams. */
  isLeaving = false;
  /** Streams beyond this have not been processed (RFC 9113, section 6.8). */
  lastStream = Number.POSITIVE_INFINITY;
  readonly #settings: SessionSettings;
  readonly #listener: SessionListener;
  readonly #socket: Socket;
  readonly #gate: HeaderBlockGate;
  readonly #session: ClientHttp2Session;
  readonly #open = new Set<ClientHttp2Stream>();
  readonly #resets = new ResetBudget();
  #deadline: NodeJS.Timeout | null;
  #keepAlive: NodeJS.Timeout | null = null;
  #isReady = false;
  #isLost = false;
  #isEnding = false;
  /** An answer to a PING is awaited: it may be dead, and is given nothing new. */
  #isDoubted = false;
  #signsSeen = 0;
  #requests = 0;
  #failure: UpstreamFailure | null = null;

  constructor(settings: SessionSettings, listener: SessionListener) {
    const { address, connectMs } = settings;
    this.#settings = settings;
    this.#listener = listener;
    this.#socket = connectSocket({ ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs });
    this.#gate = new HeaderBlockGate(this.#socket, 'server', (code, lastStream) => this.#noteGoaway(code, lastStream));
    this.#session = connect(origin, {
      createConnection: () => this.#gate,
      settings: { enablePush: false, initialWindowSize: streamWindow, maxHeaderListSize: maxHeadOctets },
      maxHeaderListPairs: maxHeadFields,
      // What a head of ours may have is for the limits of the gateway to say.
      maxSendHeaderBlockLength: 1_048_576,
      // Of those that are open together each may have a window full; beyond it new ones are refused.
      maxSessionMemory: 64,
    });
    this.#deadline = setTimeout(() => {
      const missing = this.#socket.connecting ? 'connection' : 'HTTP/2 settings';
      const detail = `no ${missing} from ${address.host}:${address.port} within ${waitText(connectMs)}`;
      this.#giveUp({ code: 'timed_out', detail });
    }, connectMs);
    this.#session.on('connect', () => this.#session.setLocalWindowSize(sessionWindow));
    this.#session.on('remoteSettings', () => this.#noteSettings());
    this.#session.on('error', (error) => {
      this.#failure ??= classifySessionError(error);
    });
    // nghttp2 sends nothing more where it could not read what came: node:http2 closes the session then.
    this.#session.on('frameError', () => this.leave());
    this.#session.on('close', () => this.#noteLost());
  }

  /** It stands. */
  get isOpen(): boolean {
    return this.#isReady && !this.#isLost && !this.#session.destroyed;
  }

  /** Whether another stream may be opened now. */
  get hasRoom(): boolean {
    return (
      this.isOpen && !this.isLeaving && !this.#session.closed && !this.#isDoubted && this.streams < this.maxStreams
    );
  }

  /** The peer takes no stream at all at present. */
  get isShut(): boolean {
    return this.#isReady && !this.isLeaving && this.maxStreams === 0;
  }

  /** Changes whenever its peer takes some of the body that is sent on its only stream; with several streams it does not. */
  get sendingProgress(): string {
    return this.streams === 1 ? `${this.#gate.sentDataOctets} ${writeBacklog(this.#socket)}` : '';
  }

  /** Why it broke; null while it has not, or where it simply ended. */
  get failure(): UpstreamFailure | null {
    return this.#failure;
  }

  /**
   * Opens a stream. Throws where node:http2 refuses the fields, and nothing was sent then. That trailers are to be waited for
   * (there are none) keeps node:http2 from sending END_STREAM before RST_STREAM where the stream is closed early: what was
   * cut off would be taken for whole.
   */
  open(fields: OutgoingHttpHeaders, isWhole: boolean): ClientHttp2Stream {
    const stream = this.#session.request(fields, { endStream: isWhole, waitForTrailers: !isWhole });
    this.streams += 1;
    this.#open.add(stream);
    this.#requests += 1;
    stream.once('close', () => {
      this.streams -= 1;
      this.#open.delete(stream);
      // Before its peer has enough of it, and ends what belongs to others.
      if (!this.#resets.bears(stream.rstCode, performance.now()) && this.isOpen && !this.isLeaving) this.leave();
      this.#listener.onRoom(this, this.isShut);
      this.#endIfUnused();
    });
    if (this.#requests >= maxRequests) this.leave();
    return stream;
  }

  /** Takes no more streams, and ends with the last of those that there are. */
  leave(): void {
    this.#noteLeaving();
    this.#endIfUnused();
  }

  /**
   * A request has had no answer in time, and nothing else came: is anybody there? One that does not say so in time is given up.
   */
  doubt(): void {
    if (this.#isDoubted || !this.isOpen) return;
    const { readMs } = this.#settings;
    this.#isDoubted = true;
    const deadline = setTimeout(() => {
      this.#giveUp({ code: 'timed_out', detail: `no answer to a PING within ${waitText(readMs)}` });
    }, readMs);
    const wasShut = this.isShut;
    const isSent = this.#session.ping((error) => {
      clearTimeout(deadline);
      if (error !== null) return;
      this.#isDoubted = false;
      if (!this.#isLost) this.#listener.onRoom(this, this.isShut);
    });
    if (!isSent) clearTimeout(deadline);
    this.#listener.onRoom(this, wasShut);
  }

  /** Cuts off what is under way. */
  destroy(): void {
    this.#noteLeaving();
    // The session ends with it; see `endSession` for why it is not told.
    this.#socket.destroy();
  }

  /** RFC 9113, section 6.8. */
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
    endSession(this.#session);
    // A peer that does not read keeps it.
    this.#clearDeadline();
    this.#deadline = setTimeout(() => this.#socket.destroy(), endGraceMs);
  }

  #noteSettings(): void {
    const wasShut = this.isShut;
    const allowed = this.#session.remoteSettings.maxConcurrentStreams ?? maxStreams;
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
    this.#listener.onLost(this, { ...failure, neverSent: true });
  }

  #clearDeadline(): void {
    if (this.#deadline) clearTimeout(this.#deadline);
    this.#deadline = null;
  }
}
