import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { BodyReadError } from '../../../../application/ports/gateway/body-source.js';
import type { ClientConnection, RejectedRequest } from '../../../../application/ports/gateway/http-exchange.js';
import {
  boundLateness,
  boundLateWrites,
  turnBegins,
  turnEnds,
  turnMs,
} from '../../../event-loop-batching/event-loop-turn.js';
import {
  hasUnreadInput,
  isDetachable,
  readAsStream,
  readOctets,
  type StreamSocket,
  toNodeSocket,
} from '../../../stream-sockets/stream-socket.js';
import { faultOf, incompleteHead } from '../../../wire/http1/head-fault.js';
import { requestHead } from '../../../wire/http1/read-head.js';
import { type ConnectionOrigin, clientConnection } from '../connections/client-connection.js';
import { destroyAfter, rejectionOctets } from '../connections/connection-refuser.js';
import { ConnectionDeadline, ExchangeWaits, Linger } from '../connections/deadlines.js';
import { type BodyConnection, newBody } from './core-body.js';
import { CoreResponse } from './core-response.js';
import { type CorkedWrites, DeferredResponse } from './corked-writes.js';
import type { ConnectionPhase, Http1ConnectionContext, ResponseConnection } from './http1-connection-context.js';
import { isConnect, RequestHeads, RequestTurns, readRequest, rejectionReason } from './request-heads.js';
import { RequestInput } from './request-input.js';

/** A client connection; its requests are answered one after the other. */
export class CoreConnection implements BodyConnection, ResponseConnection {
  readonly socket: StreamSocket;
  readonly writes: CorkedWrites;
  readonly written: (() => void) | undefined;
  readonly #around: Http1ConnectionContext;
  readonly #client: ClientConnection;
  readonly #heads: RequestHeads;
  readonly #input: RequestInput;
  readonly #deadline: ConnectionDeadline;
  readonly #waits: ExchangeWaits;
  readonly #linger: Linger;
  readonly #turns: RequestTurns;
  readonly #late: DeferredResponse;
  readonly #take = (octets: Buffer): void => this.#takeOctets(octets);
  readonly #end = (): void => this.#takeEnd();
  /** The layer reads all ready sockets before this one gets its input, which is valid during the call. */
  readonly #isInBatch: boolean;
  #phase: ConnectionPhase = 'fresh';
  #response: CoreResponse | null = null;
  #idleSinceMs = 0;
  #isRetired = false;
  /** The client asked for the end of the connection after this response (RFC 9112, section 9.6). */
  #closesAtOnce = false;
  /** The kernel took the whole response, so the client has not had the time to send more. */
  #isWrittenAtOnce = false;
  /** `#run` is active and will continue. */
  #isRunning = false;
  /** The write side is closed. */
  #isLeaving = false;

  constructor(socket: StreamSocket, origin: ConnectionOrigin, around: Http1ConnectionContext) {
    this.socket = socket;
    this.#isInBatch = isDetachable(socket);
    this.writes = around.writes;
    // TLS never writes synchronously. Other sockets mostly do and need no callback.
    this.written = socket instanceof TLSSocket ? this.#flush : undefined;
    this.#around = around;
    this.#client = clientConnection(socket, around.key, origin);
    this.#heads = new RequestHeads(around.limits.maxHeadBytes, around.budget);
    this.#input = new RequestInput(socket, around.limits.maxLingerOctets);
    this.#linger = new Linger(around.limits);
    this.#turns = new RequestTurns((octets) => this.#takeInTurn(octets), this.#end);
    this.#late = new DeferredResponse(socket, () => {
      if (this.#phase === 'flushing') this.#awaitFlush();
    });
    this.#deadline = new ConnectionDeadline(around.deadlines, (nowMs) => this.#expired(nowMs));
    this.#waits = new ExchangeWaits(socket, this.#deadline);
    this.#deadline.set(performance.now() + around.patience.timeouts.headMs);
    socket.on('end', this.#end);
    // The close event follows and is handled separately.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#closed());
    readOctets(socket, this.#take);
  }

  drained(): Promise<void> {
    return this.#waits.drained(performance.now() + this.#writeTimeoutMs);
  }

  /** No part of an unanswered request has arrived since `momentMs`. */
  hasBeenIdleSince(momentMs: number): boolean {
    if (this.#idleSinceMs > momentMs) return false;
    return this.#isLeaving || (this.#phase === 'idle' && !this.#turns.isWaiting && !hasUnreadInput(this.socket));
  }

  retire(graceMs: number): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    // A tunnel, or a request for one.
    if (this.#phase === 'given' || this.#response?.canUpgrade === true) {
      this.socket.destroy();
      return;
    }
    this.closeAfterResponse();
    // Pending input starts no further request.
    if (this.#response === null) this.#leave();
    const cut = destroyAfter(graceMs, () => this.socket.destroy());
    this.socket.once('close', () => clearTimeout(cut));
  }

  sendContinue(): void {
    if (this.#response?.headSent === false) this.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
  }

  awaitBody(untilMs: number): void {
    this.#waits.awaitBody(untilMs);
  }

  bodyAwaitedNoMore(): void {
    this.#waits.awaitBody(Number.POSITIVE_INFINITY);
  }

  bodyRoomChanged(): void {
    this.#flow();
  }

  canGoOn(): boolean {
    return this.#input.canGoOn(this.#around.limits.maxHeadBytes);
  }

  closeAfterResponse(): void {
    this.#input.close();
  }

  responseGiven(): void {
    // Keep reading while the client sends, or it may never read.
    if (!this.#input.isComplete) this.#input.body?.cancel();
    this.#phase = 'flushing';
    if (!this.#late.isWaiting) this.#awaitFlush();
    // The response goes out in this turn; the next client need not wait for its slot.
    else this.#response?.close(true);
  }

  writeLast(text: string): boolean {
    // Pipelined input waits for the deferred write; and TLS never writes synchronously.
    return !this.#input.hasMore && this.written === undefined && this.#late.take(text);
  }

  #awaitFlush(): void {
    this.#isWrittenAtOnce = true;
    this.#flush();
    this.#isWrittenAtOnce = false;
    // This callback may belong to the next request, whose response is still deferred.
    if (this.#phase !== 'flushing' || this.#late.isWaiting) return;
    this.#waits.flush(performance.now() + this.#writeTimeoutMs, this.written === undefined ? this.#flush : null);
  }

  handOver(): Socket {
    const socket = toNodeSocket(this.socket);
    this.#phase = 'given';
    this.#waits.end();
    this.#deadline.end();
    socket.pause();
    readAsStream(socket, this.#take);
    this.socket.off('end', this.#end);
    this.#input.giveBack(socket);
    return socket;
  }

  /** The current phase timed out. */
  #expired(nowMs: number): void {
    const phase = this.#phase;
    // Pending input may hold a whole request or nothing; check again later.
    if (this.#turns.isWaiting || (phase === 'idle' && hasUnreadInput(this.socket))) this.#deadline.set(nowMs);
    else if (phase === 'fresh' || phase === 'head') this.#refuse('timed_out');
    else if (phase === 'exchange' || phase === 'flushing') this.#lookAtExchange(nowMs);
    else this.socket.destroy();
  }

  #lookAtExchange(nowMs: number): void {
    if (this.#waits.isStuck(nowMs, nowMs + this.#writeTimeoutMs)) {
      this.#response?.abort();
      // Destroying a finished exchange aborts nothing.
      this.socket.destroy();
    }
    if (this.#waits.isBodyLate(nowMs)) this.#input.body?.waitIsOver();
  }

  get #writeTimeoutMs(): number {
    return this.#around.patience.timeouts.bodyMs;
  }

  #takeOctets(octets: Buffer): void {
    // New input goes behind the pending input.
    if (this.#turns.isWaiting) {
      this.#takeWhileBusy(octets);
      return;
    }
    if (this.#awaitsRequest) {
      // Requests wait until everything of this turn is read: an idle upstream may have closed meanwhile.
      this.#turns.wait(this.#isInBatch ? Buffer.from(octets) : octets);
      return;
    }
    boundLateness();
    // The connection may have become a tunnel, which then owns these octets.
    if (this.#phase === 'given') toNodeSocket(this.socket).push(octets);
    else this.#handleOctets(octets);
  }

  #takeInTurn(octets: Buffer): void {
    // A destroyed socket emits `close` later than the data read before.
    if (this.socket.destroyed) this.#turns.drop();
    else this.#handleOctets(octets);
  }

  #handleOctets(octets: Buffer): void {
    if (this.#awaitsRequest) this.#run(octets);
    else if (this.#phase !== 'over') this.#takeWhileBusy(octets);
  }

  /** Parses and answers requests until one has to wait. */
  #run(first: Buffer): void {
    this.#isRunning = true;
    let octets: Buffer | null = first;
    while (octets !== null) {
      const reading = this.#heads.read(octets);
      if (reading > 0) this.#begin();
      else if (reading === incompleteHead) this.#awaitHead();
      else this.#refuse(rejectionReason(faultOf(reading)));
      octets = this.#awaitsRequest ? this.#turns.take(this.#input.next()) : null;
    }
    this.#isRunning = false;
    this.#flow();
  }

  get #awaitsRequest(): boolean {
    return this.#phase === 'idle' || this.#phase === 'head' || this.#phase === 'fresh';
  }

  #awaitHead(): void {
    if (this.#phase === 'head' || !this.#heads.hasBegun) return;
    this.#phase = 'head';
    this.#deadline.set(performance.now() + this.#around.patience.timeouts.headMs);
  }

  /** A complete head arrived; `requestHead` describes it. */
  #begin(): void {
    const { text, rest } = this.#heads;
    const { minorVersion, isPersistent } = requestHead;
    const forTunnel = isConnect(text);
    const body = forTunnel ? null : newBody(this, this.#around);
    const request = readRequest(this.#heads, body, this.#client);
    const { method, wantsWebSocket } = request;
    const response = new CoreResponse(this, { minorVersion, isHead: method === 'HEAD', wantsWebSocket });
    this.#heads.forget();
    this.#phase = 'exchange';
    this.#turns.noteBegun();
    this.#waits.begin();
    this.#response = response;
    // Pending input may be body data; the end of input comes after it.
    this.#input.begin(body, rest);
    if (forTunnel || !isPersistent) this.#input.close();
    // The client expects the close, so there is nothing to wait for.
    this.#closesAtOnce = !forTunnel && !isPersistent;
    const outerMs = turnBegins();
    try {
      boundLateWrites();
      this.#around.handler.handle(request, response);
    } finally {
      turnEnds(outerMs);
    }
  }

  #takeWhileBusy(octets: Buffer): void {
    const input = this.#input;
    input.take(octets);
    if (input.isFlood) this.socket.destroy();
    else if (this.#phase !== 'lingering') this.#flow();
    else if (input.isTooMuch) this.socket.destroy();
    else if (input.isComplete && !this.#isLeaving) this.#over();
    else this.#lingerOn();
  }

  #flow(): void {
    if (this.#phase !== 'given' && !this.#isRunning) this.#input.flow();
  }

  /** The client half-closed. */
  #takeEnd(): void {
    if (!this.#turns.mayEnd()) return;
    const phase = this.#phase;
    if (phase === 'head') this.#refuse('malformed');
    // As in nginx: a client that half-closes before the response is treated as gone.
    else if (phase === 'exchange' || phase === 'given') this.socket.destroy();
    else if (phase === 'flushing') this.#input.close();
    else if (phase !== 'over') this.#leave();
  }

  #lingerOn(): void {
    this.#idleSinceMs = performance.now();
    this.#deadline.set(this.#linger.dueMs(this.#idleSinceMs));
  }

  #closed(): void {
    this.#turns.drop();
    this.#late.drop();
    this.#waits.end();
    this.#deadline.end();
    this.#heads.end();
    this.#phase = 'over';
    const response = this.#response;
    const { body } = this.#input;
    this.#response = null;
    this.#input.body = null;
    this.#input.close();
    body?.fail(new BodyReadError('aborted', 'the client went away'));
    // A connection that was handed over ends by itself.
    response?.close(response.isHandedOver);
  }

  /** Checks whether the whole response is written. */
  readonly #flush = (): void => {
    const { socket } = this;
    if (
      this.#phase !== 'flushing' ||
      this.#late.isWaiting ||
      socket.writableLength > 0 ||
      socket.destroyed ||
      socket.errored !== null
    )
      return;
    const response = this.#response;
    this.#response = null;
    this.#waits.end();
    response?.close(true);
    const closesAtOnce = this.#closesAtOnce && this.#input.isCleanlyOver;
    if (closesAtOnce && socket instanceof TLSSocket) this.#closeSecurely(socket);
    else if (closesAtOnce && this.#isWrittenAtOnce) socket.destroy();
    else if (this.#input.isClosed) this.#leave();
    else if (this.#input.isComplete) this.#over();
    else {
      // A reset while the client still sends would discard the response.
      this.#phase = 'lingering';
      this.#lingerOn();
      this.#flow();
    }
  };

  /** The exchange is complete. */
  #over(): void {
    if (this.#input.isClosed) {
      this.#leave();
      return;
    }
    this.#input.dropBody();
    this.#linger.end();
    this.#phase = 'idle';
    this.#idleSinceMs = turnMs();
    this.#deadline.set(this.#idleSinceMs + this.#around.patience.timeouts.idleMs);
    if (this.#isRunning) return;
    const octets = this.#turns.take(this.#input.next());
    if (octets === null) this.#flow();
    else this.#run(octets);
  }

  /**
   * Closes a TLS connection once the kernel has the alert `close_notify`, without waiting for the client's alert
   * (RFC 8446, section 6.1).
   */
  #closeSecurely(socket: TLSSocket): void {
    this.#isLeaving = true;
    this.#phase = 'lingering';
    this.#input.dropBody();
    socket.destroySoon();
    this.#lingerOn();
  }

  /**
   * Closes the write side after the last response. Input is read and dropped for a while: a reset
   * could overtake the response.
   */
  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#phase = 'lingering';
    this.#heads.end();
    this.#input.dropBody();
    this.#input.close();
    this.socket.end();
    this.#lingerOn();
    this.#flow();
  }

  #refuse(reason: RejectedRequest['reason']): void {
    this.socket.write(rejectionOctets(this.#around.handler.reject({ connection: this.#client, reason })));
    this.#leave();
  }
}
