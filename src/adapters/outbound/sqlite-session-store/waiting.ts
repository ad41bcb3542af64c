/** SQLite itself does not wait for a lock: the thread would stand still meanwhile. */
export const busyTimeoutMs = 0;
/** Between two attempts, while others do their work. */
export const busyPauseMs = 10;
/** Milliseconds after which somebody else's lock is a failure. */
export const lockTimeoutMs = 1_000;
