import type {
  ConnectionAdmission,
  HandshakeFailure,
  ProxyHeaderFailure,
  RejectionAnswer,
  RequestHandler,
} from '../../../src/application/ports/gateway/http-engine.js';
import type {
  ClientConnection,
  ClientRequest,
  ClientResponse,
  RejectedRequest,
} from '../../../src/application/ports/gateway/http-exchange.js';

/** Answers every request with what is known of its connection, and keeps what it was told. */
export class RecordingHandler implements RequestHandler {
  readonly requests: ClientRequest[] = [];
  /** One for each request, to be answered by the test where they are held. */
  readonly responses: ClientResponse[] = [];
  readonly rejections: RejectedRequest[] = [];
  readonly failures: HandshakeFailure[] = [];
  readonly headerFailures: ProxyHeaderFailure[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #waitingForHeader: (() => void)[] = [];
  readonly #waitingForAdmission: (() => void)[] = [];
  /** Left unanswered while set. */
  held = false;
  /** What connections are told instead of being let in; null: they are. */
  refusal: RejectionAnswer | null = null;
  /** Peers of the connections that have come, let in or not. */
  readonly peers: string[] = [];
  /** Connections that were let in and have not been released; below 0 where one was released twice. */
  open = 0;

  admit(_listener: string, peerAddress: string): ConnectionAdmission {
    this.peers.push(peerAddress);
    if (this.refusal !== null) return { kind: 'refused', answer: this.refusal };
    this.open += 1;
    for (const told of this.#waitingForAdmission.splice(0)) told();
    return {
      kind: 'admitted',
      release: () => {
        this.open -= 1;
      },
    };
  }

  handle(request: ClientRequest, response: ClientResponse): void {
    this.requests.push(request);
    this.responses.push(response);
    if (!this.held) response.send(200, ['Content-Type', 'application/json'], JSON.stringify(request.connection), false);
  }

  reject(rejected: RejectedRequest): RejectionAnswer {
    this.rejections.push(rejected);
    return { status: 400, headers: [], body: '' };
  }

  handshakeFailed(failure: HandshakeFailure): void {
    this.failures.push(failure);
    for (const told of this.#waiting.splice(0)) told();
  }

  proxyHeaderFailed(failure: ProxyHeaderFailure): void {
    this.headerFailures.push(failure);
    for (const told of this.#waitingForHeader.splice(0)) told();
  }

  /** Resolves once a connection was let in that has not been released. */
  async admitted(): Promise<void> {
    if (this.open === 0) await new Promise<void>((resolve) => this.#waitingForAdmission.push(resolve));
  }

  /** The first PROXY header that failed, once there is one. */
  async headerFailure(): Promise<ProxyHeaderFailure> {
    if (this.headerFailures.length === 0) await new Promise<void>((resolve) => this.#waitingForHeader.push(resolve));
    return this.headerFailures[0] as ProxyHeaderFailure;
  }

  /** The first failure, once there is one. */
  async failure(): Promise<HandshakeFailure> {
    if (this.failures.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.failures[0] as HandshakeFailure;
  }

  /** What the last request came by. */
  connection(): ClientConnection {
    const last = this.requests.at(-1);
    if (!last) throw new Error('no request has come');
    return last.connection;
  }
}
