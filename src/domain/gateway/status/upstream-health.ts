/** The state that decides whether a target receives requests. */
interface AnsweringTarget {
  readonly healthy: boolean;
  readonly drained: boolean;
  readonly weight: number;
}

/** Whether an upstream has a target that receives requests. A target of weight 0 receives none. */
export const isUpstreamHealthy = (targets: readonly AnsweringTarget[]): boolean =>
  targets.some(({ healthy, drained, weight }) => healthy && !drained && weight > 0);
