/** Time. The two clocks are never mixed: one can be set back, the other has no date. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  wallMs(): number;
  /** Milliseconds since some fixed moment; never goes back. */
  monotonicMs(): number;
  /** The same, cheaper: it may be behind by as much as what is being handled has taken so far. */
  turnMs(): number;
}
