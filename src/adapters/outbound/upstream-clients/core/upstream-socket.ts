import { Socket } from 'node:net';
import { TimerWheel, type WheelTimer } from '../../../../domain/shared/timer-wheel.js';

const tickMs = 50;
/** One round takes 51 seconds: most deadlines are inspected once. */
const slots = 1_024;

/** Timer wheel of all upstream connections and requests. */
const wheel = new TimerWheel(tickMs, slots, performance.now());
/** Runs while the wheel has timers. */
let turning: NodeJS.Timeout | null = null;

const turn = (): void => {
  wheel.turn(performance.now());
  if (wheel.size > 0 || turning === null) return;
  clearInterval(turning);
  turning = null;
};

/**
 * Sets or moves a timer; `dueMs` as in `performance.now`. It fires never early and at most two
 * ticks late.
 */
export const setTimer = (timer: WheelTimer, dueMs: number): void => {
  wheel.set(timer, dueMs);
  turning ??= setInterval(turn, tickMs).unref();
};

/** The same, cheaper for a timer that moves later. */
export const putOffTimer = (timer: WheelTimer, dueMs: number): void => {
  if (timer.slot >= 0 && dueMs >= timer.dueMs) timer.dueMs = dueMs;
  else setTimer(timer, dueMs);
};

/** Removes a timer if set. */
export const removeTimer = (timer: WheelTimer): void => {
  if (timer.slot >= 0) wheel.remove(timer);
};

type WriteCallback = (error?: Error | null) => void;

/** An upstream socket that can ignore write errors. */
export class UpstreamSocket extends Socket {
  #isForgiving = false;
  #writeError: Error | null = null;

  /**
   * Ignores later write errors. An upstream may respond early and stop reading; closing here would
   * lose its response. Reading soon meets the end or the reset.
   */
  forgiveWrites(): void {
    this.#isForgiving = true;
  }

  /** The ignored write error: the peer stopped reading. */
  get writeError(): Error | null {
    return this.#writeError;
  }

  /**
   * Detects a reset at the end of reading: libuv reports one that arrives with data as a normal
   * end. An empty write fails then, and otherwise sends nothing.
   */
  findReset(): Error | null {
    if (!this.destroyed && !this.writableEnded && this.writableLength === 0) this.write('');
    return this.errored ?? this.#writeError;
  }

  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    if (!this.#isForgiving) super._write(chunk, encoding, callback);
    else if (this.#writeError !== null) callback();
    else super._write(chunk, encoding, this.#forgiving(callback));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], callback: WriteCallback): void {
    if (!this.#isForgiving) super._writev?.(chunks, callback);
    else if (this.#writeError !== null) callback();
    else super._writev?.(chunks, this.#forgiving(callback));
  }

  #forgiving(callback: WriteCallback): WriteCallback {
    return (error) => {
      if (error) this.#writeError = error;
      callback();
    };
  }
}
