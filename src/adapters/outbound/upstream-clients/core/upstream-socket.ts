import { Socket } from 'node:net';
import { TimerWheel, type WheelTimer } from '../../../../domain/shared/timer-wheel.js';

const tickMs = 50;
/** A round of 51 seconds: most deadlines are looked at once. */
const slots = 1_024;

/** That of all connections and requests to targets. */
const wheel = new TimerWheel(tickMs, slots, performance.now());
/** Turns the wheel while there is something in it. */
let turning: NodeJS.Timeout | null = null;

const turn = (): void => {
  wheel.turn(performance.now());
  if (wheel.size > 0 || turning === null) return;
  clearInterval(turning);
  turning = null;
};

/** Sets a timer, or sets it anew; `dueMs` as `performance.now` counts. It is never early, and late by two ticks at the most. */
export const setTimer = (timer: WheelTimer, dueMs: number): void => {
  wheel.set(timer, dueMs);
  turning ??= setInterval(turn, tickMs).unref();
};

/** The same; costs an assignment where the timer is put off. */
export const putOffTimer = (timer: WheelTimer, dueMs: number): void => {
  if (timer.slot >= 0 && dueMs >= timer.dueMs) timer.dueMs = dueMs;
  else setTimer(timer, dueMs);
};

/** Takes out a timer, where it is set. */
export const removeTimer = (timer: WheelTimer): void => {
  if (timer.slot >= 0) wheel.remove(timer);
};

type WriteCallback = (error?: Error | null) => void;

/** A socket to an upstream that can do without its writing direction. */
export class UpstreamSocket extends Socket {
  #isForgiving = false;
  #writeError: Error | null = null;

  /**
   * From now on nothing is made of it that writing fails. An upstream that answers early and stops reading has not failed:
   * its answer may wait to be read, and would be lost if the socket ended here. Reading gets to the end or the reset soon
   * enough, because writing saw it already.
   */
  forgiveWrites(): void {
    this.#isForgiving = true;
  }

  /** Of a write that was forgiven: the other side has stopped reading. */
  get writeError(): Error | null {
    return this.#writeError;
  }

  /**
   * Asks at the end of reading whether the peer has reset the connection. libuv reports a reset that comes together with
   * octets as an end. Writing nothing fails then, and sends nothing otherwise.
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
