/** A target for the balancer. */
export interface BalancedTarget {
  /** Share of the requests, relative to the other weights; above 0. */
  readonly weight: number;
  /** Requests in flight. */
  readonly active: number;
  /** State of `nextInTurn`; initially 0. */
  credit: number;
}
