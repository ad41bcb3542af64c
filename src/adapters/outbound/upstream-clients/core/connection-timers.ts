import { TimerWheel, type WheelTimer } from '../../../../domain/shared/timer-wheel.js';
import { ownText } from '../../../../domain/shared/utf8.js';

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

/** How long an idle connection is kept if the upstream sends no Keep-Alive; milliseconds. */
export const defaultKeepMs = 4_000;
const longestMs = 600_000;
/**
 * The upstream's clock started earlier, and its close must not be in flight; half of its value is
 * enough.
 */
const marginMs = 2_000;

const timeoutParameter = /(?:^|[,;\s])timeout\s{0,8}=\s{0,8}"?([0-9]{1,9})/i;
/** Longest inspected value. */
const maxLength = 256;

const timeOf = (value: string): number => {
  const seconds = timeoutParameter.exec(value.slice(0, maxLength))?.[1];
  if (seconds === undefined) return defaultKeepMs;
  const saidMs = Number(seconds) * 1_000;
  return Math.min(Math.max(saidMs - marginMs, saidMs / 2), longestMs);
};

/** An upstream repeats the same short value; cache the last one. */
let lastValue = '';
let lastTime = timeOf(lastValue);
const maxRemembered = 64;

/**
 * How long a connection may be kept after a response; milliseconds, 0 closes it.
 * @param value first Keep-Alive field, or null
 */
export const keepAliveTime = (value: string | null): number => {
  if (value === null) return defaultKeepMs;
  if (value === lastValue) return lastTime;
  const time = timeOf(value);
  if (value.length <= maxRemembered) {
    // A slice would retain the whole head and a short body behind it.
    lastValue = ownText(value);
    lastTime = time;
  }
  return time;
};
