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
