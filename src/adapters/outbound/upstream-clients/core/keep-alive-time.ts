import { ownText } from '../../../../domain/shared/utf8.js';

/** How long a connection is kept where its upstream says nothing of that; milliseconds. */
export const defaultKeepMs = 4_000;
const longestMs = 600_000;
/** The upstream's clock began earlier, and what it closes must not be on its way to it; half of what it says is enough. */
const marginMs = 2_000;

const timeoutParameter = /(?:^|[,;\s])timeout\s{0,8}=\s{0,8}"?([0-9]{1,9})/i;
/** Octets of a field that are looked at. */
const maxLength = 256;

const timeOf = (value: string): number => {
  const seconds = timeoutParameter.exec(value.slice(0, maxLength))?.[1];
  if (seconds === undefined) return defaultKeepMs;
  const saidMs = Number(seconds) * 1_000;
  return Math.min(Math.max(saidMs - marginMs, saidMs / 2), longestMs);
};

/** An upstream says the same every time, in a few characters: what was said last is read once. */
let lastValue = '';
let lastTime = timeOf(lastValue);
const maxRemembered = 64;

/**
 * How long a connection may be kept after a response; milliseconds, 0: not at all.
 *
 * @param value of its first Keep-Alive field; null: it has none
 */
export const keepAliveTime = (value: string | null): number => {
  if (value === null) return defaultKeepMs;
  if (value === lastValue) return lastTime;
  const time = timeOf(value);
  if (value.length <= maxRemembered) {
    // A part of a head would keep all of it, and a short body behind it.
    lastValue = ownText(value);
    lastTime = time;
  }
  return time;
};
