import type { Socket } from 'node:net';

/**
 * Ends a connection that has been idle for too long, whatever comes on it meanwhile. Node's own time-out is of silence
 * alone, and begins anew with every empty line.
 */
export class IdleClock {
  readonly #socket: Socket;
  /** Outlives the idle times that end before it is due: a busy connection has many of them. */
  #timer: NodeJS.Timeout | null = null;
  #dueMs = 0;
  #startedMs = 0;
  /** Null while the connection is not idle. */
  #endsMs: number | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('close', () => this.#disarm());
  }

  /** When the last idle time began, by the monotonic clock. */
  get startedMs(): number {
    return this.#startedMs;
  }

  start(idleMs: number): void {
    const nowMs = performance.now();
    this.#startedMs = nowMs;
    this.#endsMs = nowMs + idleMs;
    if (this.#timer !== null && this.#dueMs > this.#endsMs) this.#disarm();
    if (this.#timer === null) this.#arm(nowMs, this.#endsMs);
  }

  stop(): void {
    this.#endsMs = null;
  }

  #arm(nowMs: number, dueMs: number): void {
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#look(), Math.ceil(dueMs - nowMs));
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    this.#timer = null;
    if (this.#endsMs === null) return;
    const nowMs = performance.now();
    if (nowMs >= this.#endsMs) this.#socket.destroy();
    else this.#arm(nowMs, this.#endsMs);
  }
}
