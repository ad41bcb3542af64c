import type { Socket } from 'node:net';
import { BodyReadError } from '../../../../application/ports/body-source.js';
import type { ClientConnection, RejectedRequest } from '../../../../application/ports/http-exchange.js';
import { faultOf, incomplete } from '../../../wire/http1/head-fault.js';
import { requestHead } from '../../../wire/http1/read-request-head.js';
import { clientConnection } from '../connections/client-connection.js';
import type { ConnectionOrigin } from '../connections/connection-origin.js';
import { standOf } from '../connections/drained.js';
import { ConnectionDeadline } from './connection-deadline.js';
import type { ConnectionSurroundings } from './connection-surroundings.js';
import { type BodyConnection, CoreBody } from './core-body.js';
import { CoreResponse, type ResponseConnection } from './core-response.js';
import type { JoinedWrites } from './joined-writes.js';
import { isConnect, readRequest } from './read-request.js';
import { rejectionOctets, rejectionReason } from './rejection.js';
import { RequestHeads } from './request-heads.js';
import { RequestInput } from './request-input.js';

/**
 * `fresh`: nothing has come; `head`: some of a head; `idle`: nothing since the last exchange; `exchange`: a request is being
 * answered; `flushing`: the answer is on its way to the system; `lingering`: it is there, and the rest of the request is
 * read; `over`: nothing more is read; `given`: the connection has left HTTP.
 */
type Phase = 'fresh' | 'head' | 'idle' | 'exchange' | 'flushing' | 'lingering' | 'over' | 'given';

/** How long a client has to take the last response of its connection, in milliseconds. */
const closeGraceMs = 1_000;

/** A connection of a client, whose requests are answered one after the other. */
export class CoreConnection implements BodyConnection, ResponseConnection {
  readonly socket: Socket;
  readonly written = (): void => this.#flush();
  readonly #around: ConnectionSurroundings;
  readonly #client: ClientConnection;
  readonly #heads: RequestHeads;
  readonly #input: RequestInput;
  readonly #deadline: ConnectionDeadline;
  readonly #take = (octets: Buffer): void => this.#takeOctets(octets);
  readonly #end = (): void => this.#takeEnd();
  #phase: Phase = 'fresh';
  #response: CoreResponse | null = null;
  #idleSinceMs = 0;
  #isRetired = false;
  /** `#run` is at work, and goes on by itself. */
  #isRunning = false;
  /** How far the writing was when it was looked at last. */
  #stand = '';

  constructor(socket: Socket, origin: ConnectionOrigin, around: ConnectionSurroundings) {
    this.socket = socket;
    this.#around = around;
    this.#client = clientConnection(socket, around.key, origin);
    this.#heads = new RequestHeads(around.limits.maxHeadBytes);
    this.#input = new RequestInput(socket);
    this.#deadline = new ConnectionDeadline(around.deadlines, (nowMs) => this.#expired(nowMs));
    this.#deadline.set(performance.now() + around.patience.timeouts.headMs);
    socket.on('data', this.#take);
    socket.on('end', this.#end);
    // What follows is the end of the connection, which is told by itself.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#closed());
  }

  get writes(): JoinedWrites {
    return this.#around.writes;
  }

  get writeTimeoutMs(): number {
    return this.#around.patience.timeouts.bodyMs;
  }

  /** Nothing of a request has come since that moment that is not answered, to its last octet. */
  hasBeenIdleSince(momentMs: number): boolean {
    return this.#phase === 'idle' && this.#idleSinceMs <= momentMs;
  }

  /** See `EngineSessions`. */
  retire(graceMs: number): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    // A tunnel, and what waits to become one.
    if (this.#phase === 'given' || this.#response?.canUpgrade === true) {
      this.socket.destroy();
      return;
    }
    this.closeAfterResponse();
    if (this.#response === null && this.#phase !== 'lingering') this.#leave();
    const cut = setTimeout(() => this.socket.destroy(), graceMs);
    this.socket.once('close', () => clearTimeout(cut));
  }

  sendContinue(): void {
    if (this.#response?.headSent === false) this.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
  }

  awaitBody(untilMs: number): void {
    if (this.#phase === 'exchange') this.#deadline.set(untilMs);
  }

  bodyAwaitedNoMore(): void {
    if (this.#phase === 'exchange') this.#deadline.clear();
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
    // Whoever still sends has to be read, or it would never get to read.
    if (!this.#input.isComplete) this.#input.body?.cancel();
    this.#phase = 'flushing';
    this.#flush();
    if (this.#phase !== 'flushing') return;
    // Where it stands is looked at for the first time when some time has passed: most need not be looked at.
    this.#stand = '';
    this.#deadline.set(performance.now() + this.writeTimeoutMs);
  }

  handOver(): void {
    const { socket } = this;
    this.#phase = 'given';
    this.#deadline.end();
    socket.pause();
    socket.off('data', this.#take);
    socket.off('end', this.#end);
    this.#input.giveBack();
  }

  /** The phase has lasted for as long as it may. */
  #expired(nowMs: number): void {
    const phase = this.#phase;
    if (phase === 'fresh' || phase === 'head') this.#refuse('timed_out');
    else if (phase === 'exchange') this.#input.body?.waitIsOver();
    else if (phase === 'flushing') this.#lookAtWriting(nowMs);
    else if (phase === 'lingering') this.#leave();
    else this.socket.destroy();
  }

  #takeOctets(octets: Buffer): void {
    if (this.#awaitsRequest) this.#run(octets);
    else if (this.#phase !== 'over') this.#takeWhileBusy(octets);
  }

  /** Reads requests, and has them answered, for as long as none waits for something. */
  #run(first: Buffer): void {
    this.#isRunning = true;
    let octets: Buffer | null = first;
    while (octets !== null) {
      const reading = this.#heads.read(octets);
      if (reading > 0) this.#begin();
      else if (reading === incomplete) this.#awaitHead();
      else this.#refuse(rejectionReason(faultOf(reading)));
      octets = this.#awaitsRequest ? this.#input.next() : null;
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

  /** A head has come, of which `requestHead` tells. */
  #begin(): void {
    const { text, rest } = this.#heads;
    const { minorVersion, isPersistent } = requestHead;
    const isLast = !isPersistent || isConnect(text);
    const body = isConnect(text) ? null : this.#newBody();
    const request = readRequest(text, body, this.#client);
    const isHead = request.method === 'HEAD';
    const response = new CoreResponse(this, { minorVersion, isHead, wantsWebSocket: request.wantsWebSocket });
    this.#heads.forget();
    this.#phase = 'exchange';
    this.#deadline.clear();
    this.#response = response;
    if (isLast) this.#input.close();
    this.#input.begin(body, rest);
    this.#around.handler.handle(request, response);
  }

  #newBody(): CoreBody | null {
    const { isChunked, contentLength, expectsContinue, minorVersion } = requestHead;
    if (contentLength <= 0 && !isChunked) return null;
    const { patience, budget } = this.#around;
    const length = isChunked ? null : contentLength;
    return new CoreBody(this, length, expectsContinue && minorVersion === 1, patience.body, budget);
  }

  #takeWhileBusy(octets: Buffer): void {
    const input = this.#input;
    input.take(octets);
    if (this.#phase === 'lingering' && input.isComplete) this.#over();
    else if (this.#phase === 'lingering' && input.isTooMuch) this.#leave();
    else if (input.isFlood) this.socket.destroy();
    else this.#flow();
  }

  #flow(): void {
    if (this.#phase !== 'given' && !this.#isRunning) this.#input.flow(this.#phase === 'lingering');
  }

  /** The client sends no more. */
  #takeEnd(): void {
    const phase = this.#phase;
    if (phase === 'head') this.#refuse('malformed');
    // As nginx has it: whoever ends its side before it was answered has gone.
    else if (phase === 'exchange') this.socket.destroy();
    else if (phase === 'flushing') this.#input.close();
    else if (phase !== 'over') this.#leave();
  }

  #closed(): void {
    this.#deadline.end();
    this.#phase = 'over';
    const response = this.#response;
    const { body } = this.#input;
    this.#response = null;
    this.#input.body = null;
    this.#input.close();
    body?.fail(new BodyReadError('aborted', 'the client went away'));
    // One that was given away has its end with the connection.
    response?.close(response.isHandedOver);
  }

  /** Finds out whether all of the response has gone out. */
  #flush(): void {
    const { socket } = this;
    if (this.#phase !== 'flushing' || socket.writableLength > 0 || socket.destroyed || socket.errored !== null) return;
    const response = this.#response;
    const { body } = this.#input;
    this.#response = null;
    response?.close(true);
    if (body === null || body.isComplete) this.#over();
    else if (body.isFaulty || socket.readableEnded) this.#leave();
    else {
      // A reset while the client still sends would take the answer with it.
      this.#phase = 'lingering';
      this.#deadline.set(performance.now() + this.#around.limits.lingerMs);
      this.#flow();
    }
  }

  /** The client takes nothing of the end of a response, or little. */
  #lookAtWriting(nowMs: number): void {
    const stand = standOf(this.socket);
    if (stand === this.#stand) this.#response?.abort();
    this.#stand = stand;
    this.#deadline.set(nowMs + this.writeTimeoutMs);
  }

  /** The exchange is over. */
  #over(): void {
    this.#input.body = null;
    if (this.#input.isClosed) {
      this.#leave();
      return;
    }
    const nowMs = performance.now();
    this.#phase = 'idle';
    this.#idleSinceMs = nowMs;
    this.#deadline.set(nowMs + this.#around.patience.timeouts.idleMs);
    if (this.#isRunning) return;
    const octets = this.#input.next();
    if (octets === null) this.#flow();
    else this.#run(octets);
  }

  /** Ends the connection: all that was to be said has been. */
  #leave(): void {
    this.#phase = 'over';
    this.#input.body = null;
    this.#input.close();
    this.#deadline.set(performance.now() + closeGraceMs);
    this.socket.destroySoon();
  }

  #refuse(reason: RejectedRequest['reason']): void {
    const answer = this.#around.handler.reject({ connection: this.#client, reason });
    this.#phase = 'over';
    this.#input.close();
    this.#deadline.set(performance.now() + closeGraceMs);
    this.socket.end(rejectionOctets(answer));
    // What is unread would make the end a reset, which may overtake the answer.
    this.socket.resume();
  }
}
