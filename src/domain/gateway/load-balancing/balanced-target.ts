/** What a balancer sees of a target. */
export interface BalancedTarget {
  /** Share of the requests, against the weights of the others; above 0. */
  readonly weight: number;
  /** Requests that it is busy with. */
  readonly active: number;
  /** Belongs to `nextInTurn`: 0 to begin with. */
  credit: number;
}
