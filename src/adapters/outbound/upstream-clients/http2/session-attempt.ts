import type {
  ConnectAttempt,
  ConnectAttemptListener,
  OpenedConnection,
  UpstreamFailure,
} from '../../../../application/ports/gateway/upstream-client.js';
import type { SessionPool } from './session-pool.js';
import type { StreamUser } from './stream-user.js';

/** A request that needs an open session before it is sent. It opens no stream. */
export class SessionAttempt implements StreamUser, ConnectAttempt {
  readonly refusedBy = null;
  beganMs = performance.now();
  readonly #sessions: SessionPool;
  readonly #listener: ConnectAttemptListener;
  readonly #opened: OpenedConnection;
  isAbandoned = false;
  #isOver = false;

  /** @param opened sends the request by the pool */
  constructor(sessions: SessionPool, listener: ConnectAttemptListener, opened: OpenedConnection) {
    this.#sessions = sessions;
    this.#listener = listener;
    this.#opened = opened;
  }

  start(): void {
    if (!this.#sessions.request(this)) this.evictQueued();
  }

  abandon(): void {
    this.isAbandoned = true;
    this.#sessions.noteAbandoned();
  }

  /** The target is connected but busy: the request queues. */
  wait(): void {
    this.#sessions.forget(this);
    queueMicrotask(() => this.use());
  }

  expect(beganMs: number): void {
    this.beganMs = beganMs;
  }

  use(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.connected(this.isAbandoned ? null : this.#opened);
  }

  fail(failure: UpstreamFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    queueMicrotask(() => this.#listener.notConnected(failure));
  }

  giveUp(): void {
    this.fail({ code: 'cancelled', detail: 'the connections to the target are closed' });
  }

  evictQueued(): void {
    this.#sessions.forget(this);
    this.fail({ code: 'overloaded', wasEvicted: true, detail: 'the target was taken out' });
  }
}
