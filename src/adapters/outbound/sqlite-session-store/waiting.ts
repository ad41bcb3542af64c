/** How long SQLite itself waits for a lock; the thread stands still meanwhile, so it is next to nothing. */
export const busyTimeoutMs = 5;
/** Between two attempts, while others do their work. */
export const busyPauseMs = 10;
/** Milliseconds after which somebody else's lock is a failure. */
export const patienceMs = 1_000;
