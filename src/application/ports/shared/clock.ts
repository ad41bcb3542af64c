/** Two clocks that must not be mixed: wall time can go back, monotonic time has no date. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  wallMs(): number;
  /** Milliseconds since a fixed moment; never goes back. */
  monotonicMs(): number;
  /**
   * Monotonic time read once per turn of the event loop: cheaper, and late by the time that the
   * turn has taken so far.
   */
  turnMs(): number;
}
