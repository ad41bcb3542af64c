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
