import type { EngineLimits } from '../../../../application/ports/gateway/http-engine.js';
import type { ListenerTimeouts } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { BodyPace } from '../../../../domain/gateway/limits/body-pace.js';
import { TimerWheel, type WheelTimer } from '../../../../domain/shared/timer-wheel.js';
import { type StreamSocket, writeProgressToken } from '../../../stream-sockets/stream-socket.js';

/** Timeouts for reading a request body. */
export interface BodyTimeouts extends BodyPace {
  /** Longest silence, in milliseconds. */
  readonly silenceMs: number;
}

const bodyTimeouts = ({ bodyMs: silenceMs, minBodyOctetsPerSecond }: ListenerTimeouts): BodyTimeouts => ({
  silenceMs,
  minOctetsPerSecond: minBodyOctetsPerSecond,
  graceMs: silenceMs,
});

/** Current timeouts of a listener. */
export class ListenerTimers {
  readonly #limits: EngineLimits;
  #timeouts: ListenerTimeouts;
  #body: BodyTimeouts;

  constructor(limits: EngineLimits, timeouts: ListenerTimeouts) {
    this.#limits = limits;
    this.#timeouts = timeouts;
    this.#body = bodyTimeouts(timeouts);
  }

  get timeouts(): ListenerTimeouts {
    return this.#timeouts;
  }

  get handshakeMs(): number {
    return Math.min(this.#limits.handshakeTimeoutMs, this.#timeouts.headMs);
  }

  /**
   * Timeouts for a body that begins now. The pace check starts after one silence timeout of total
   * waiting.
   */
  get body(): BodyTimeouts {
    return this.#body;
  }

  change(timeouts: ListenerTimeouts): void {
    this.#timeouts = timeouts;
    this.#body = bodyTimeouts(timeouts);
  }
}

/** Time limit for reading and dropping unwanted input. Milliseconds, monotonic clock. */
export class Linger {
  readonly #limits: EngineLimits;
  /** Infinity until it starts. */
  #endMs = Number.POSITIVE_INFINITY;

  constructor(limits: EngineLimits) {
    this.#limits = limits;
  }

  /** Call it at the start and on input. Returns the deadline if no more input arrives. */
  dueMs(nowMs: number): number {
    this.#endMs = Math.min(this.#endMs, nowMs + this.#limits.maxLingerMs);
    return Math.min(this.#endMs, nowMs + this.#limits.lingerMs);
  }

  end(): void {
    this.#endMs = Number.POSITIVE_INFINITY;
  }
}

/** The single deadline of a connection, cheap to move. */
export class ConnectionDeadline implements WheelTimer {
  /**
   * Time known to the wheel; it may be earlier than the deadline, which is checked when it fires.
   */
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  readonly #deadlines: Deadlines;
  readonly #passed: (nowMs: number) => void;
  /** Infinity if unset. */
  #deadlineMs = Number.POSITIVE_INFINITY;

  /** Calls `passed` when the deadline passes; it is then unset. */
  constructor(deadlines: Deadlines, passed: (nowMs: number) => void) {
    this.#deadlines = deadlines;
    this.#passed = passed;
  }

  /** Replaces the deadline. `deadlineMs` is finite, monotonic clock. */
  set(deadlineMs: number): void {
    this.#deadlineMs = deadlineMs;
    if (this.slot < 0 || deadlineMs < this.dueMs) this.#deadlines.set(this, deadlineMs);
  }

  clear(): void {
    this.#deadlineMs = Number.POSITIVE_INFINITY;
  }

  /** Ends it for good. */
  end(): void {
    this.clear();
    this.#deadlines.remove(this);
  }

  expired(): void {
    const nowMs = performance.now();
    if (this.#deadlineMs <= nowMs) {
      this.clear();
      this.#passed(nowMs);
    } else if (this.#deadlineMs < Number.POSITIVE_INFINITY) this.#deadlines.set(this, this.#deadlineMs);
  }
}

/** Timer resolution, in milliseconds. */
const tickMs = 50;
/** A turn later than this, in milliseconds, means a stalled event loop. */
const heldUpMs = 100;
/** One round takes about 100 seconds. */
const slots = 2_048;

/** Timer wheel of all connections of an engine, on one Node timer that runs only while needed. */
export class Deadlines {
  readonly #wheel = new TimerWheel(tickMs, slots, performance.now());
  #turning: NodeJS.Timeout | null = null;
  #turnedMs = 0;

  /** `dueMs` is finite, monotonic clock. */
  set(timer: WheelTimer, dueMs: number): void {
    this.#wheel.set(timer, dueMs);
    if (this.#turning !== null) return;
    this.#turnedMs = performance.now();
    this.#turning = setInterval(() => this.#comeBy(), tickMs).unref();
  }

  remove(timer: WheelTimer): void {
    this.#wheel.remove(timer);
  }

  /**
   * Input that arrived during a stall is unread yet and must not count as silence; read it first.
   */
  #comeBy(): void {
    const nowMs = performance.now();
    const isLate = nowMs - this.#turnedMs > heldUpMs;
    this.#turnedMs = nowMs;
    if (isLate) setImmediate(() => this.#turn());
    else this.#turn();
  }

  #turn(): void {
    this.#wheel.turn(performance.now());
    if (this.#wheel.size > 0 || this.#turning === null) return;
    clearInterval(this.#turning);
    this.#turning = null;
  }
}

/** A timer that can be moved or cancelled. */
export class Deadline implements WheelTimer {
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;

  constructor(readonly expired: () => void) {}
}

/** Detects whether a client reads its response. The owner checks it at one shared deadline. */
class WriteProgress {
  /** Next check, monotonic clock; Infinity if nothing is pending. */
  dueMs = Number.POSITIVE_INFINITY;
  readonly #socket: StreamSocket;
  /** Write progress at the last check. */
  #progressToken = '';
  #drained: Promise<void> | null = null;
  #resolve: (() => void) | null = null;
  #isListening = false;

  constructor(socket: StreamSocket) {
    this.#socket = socket;
  }

  /** Resolves when the socket accepts more, or on `end`. The first check is at `dueMs`. */
  drained(dueMs: number): Promise<void> {
    if (this.#drained !== null) return this.#drained;
    if (!this.#isListening) {
      this.#isListening = true;
      this.#socket.on('drain', () => {
        if (this.#drained !== null) this.end();
      });
    }
    this.#progressToken = writeProgressToken(this.#socket);
    this.dueMs = dueMs;
    this.#drained = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#drained;
  }

  /**
   * Waits until all is written. Progress is compared from `dueMs` on.
   * @param told called when all is written; null if the writer gets its own callback
   */
  flush(dueMs: number, told: (() => void) | null): void {
    this.end();
    this.#progressToken = '';
    this.dueMs = dueMs;
    // An empty write completes when all writes before it have.
    if (told !== null && !this.#socket.destroyed) this.#socket.write('', 'latin1', told);
  }

  /** Whether the client read something since the last check. */
  look(nextDueMs: number): boolean {
    const progressToken = writeProgressToken(this.#socket);
    const isMoving = progressToken !== this.#progressToken;
    this.#progressToken = progressToken;
    this.dueMs = nextDueMs;
    return isMoving;
  }

  end(): void {
    const resolve = this.#resolve;
    this.dueMs = Number.POSITIVE_INFINITY;
    this.#drained = null;
    this.#resolve = null;
    resolve?.();
  }
}

/**
 * Client waits of an exchange, on the deadline of its connection: request body and response
 * progress.
 */
export class ExchangeWaits {
  readonly #deadline: ConnectionDeadline;
  readonly #writing: WriteProgress;
  /** Deadline of the body reader; Infinity without one. */
  #bodyDueMs = Number.POSITIVE_INFINITY;
  /** An exchange is active; otherwise the deadline serves another purpose. */
  #isOn = false;

  constructor(socket: StreamSocket, deadline: ConnectionDeadline) {
    this.#deadline = deadline;
    this.#writing = new WriteProgress(socket);
  }

  begin(): void {
    this.#isOn = true;
    this.#deadline.clear();
  }

  end(): void {
    this.#isOn = false;
    this.#bodyDueMs = Number.POSITIVE_INFINITY;
    this.#writing.end();
  }

  /** Infinity ends the wait. */
  awaitBody(dueMs: number): void {
    this.#bodyDueMs = dueMs;
    this.#arm();
  }

  /**
   * Resolves when the socket accepts more or the exchange ends. The client must keep reading
   * meanwhile.
   */
  drained(dueMs: number): Promise<void> {
    const drained = this.#writing.drained(dueMs);
    this.#arm();
    return drained;
  }

  /** The whole response was written. `told`: see `WriteProgress`. */
  flush(dueMs: number, told: (() => void) | null): void {
    this.#writing.flush(dueMs, told);
    this.#arm();
  }

  /** Whether the client reads nothing. `nextDueMs` is the next check. */
  isStuck(nowMs: number, nextDueMs: number): boolean {
    const isStuck = this.#writing.dueMs <= nowMs && !this.#writing.look(nextDueMs);
    this.#arm();
    return isStuck;
  }

  /** Whether the body wait timed out; it ends then. */
  isBodyLate(nowMs: number): boolean {
    const isLate = this.#bodyDueMs <= nowMs;
    if (isLate) this.awaitBody(Number.POSITIVE_INFINITY);
    return isLate;
  }

  /** Sets the deadline to the earliest event. */
  #arm(): void {
    if (!this.#isOn) return;
    const dueMs = Math.min(this.#bodyDueMs, this.#writing.dueMs);
    if (dueMs === Number.POSITIVE_INFINITY) this.#deadline.clear();
    else this.#deadline.set(dueMs);
  }
}
