import type { TargetName } from '../../ports/gateway/gateway-state.js';

/** What somebody has said of targets since a moment. To be followed in this order. */
export interface DrainedChanges {
  readonly undrained: readonly TargetName[];
  readonly drained: readonly TargetName[];
}

const keyOf = ({ upstream, address }: TargetName): string => `${upstream}\n${address}`;

const without = (targets: readonly TargetName[], others: readonly TargetName[]): readonly TargetName[] => {
  const keys = new Set(others.map(keyOf));
  return targets.filter((target) => !keys.has(keyOf(target)));
};

/** What leads from the targets that were drained to those that are. */
export const drainedChanges = (before: readonly TargetName[], now: readonly TargetName[]): DrainedChanges => {
  const undrained = without(before, now);
  // A name stands for several addresses, of which some may be drained still: these are drained again.
  return { undrained, drained: undrained.length > 0 ? now : without(now, before) };
};
