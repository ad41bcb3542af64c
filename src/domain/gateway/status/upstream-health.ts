/** What of a target says whether it can get requests. */
interface AnsweringTarget {
  readonly healthy: boolean;
  readonly drained: boolean;
  readonly weight: number;
}

/** Whether an upstream has a target that requests are sent to. One of weight 0 gets none, however well it is. */
export const isUpstreamHealthy = (targets: readonly AnsweringTarget[]): boolean =>
  targets.some(({ healthy, drained, weight }) => healthy && !drained && weight > 0);
