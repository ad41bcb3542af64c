/**
 * Ends connections that were told to end some milliseconds ago. What was answered before that moment in the same turn of the event loop, and
 * waits for its end, goes out before: timers that are due come first.
 */
export const cutAfter = (graceMs: number, cut: () => void): NodeJS.Timeout =>
  setTimeout(() => void setImmediate(cut), graceMs);
