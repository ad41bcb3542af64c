import { textHash } from '../../../src/domain/gateway/load-balancing/consistent-hash.js';

/** A target as balancers see it. */
export interface PlainTarget {
  readonly name: string;
  readonly weight: number;
  active: number;
  credit: number;
  readonly seed: number;
}

export const plainTargets = (...weights: readonly number[]): PlainTarget[] =>
  weights.map((weight, index) => {
    const name = `10.0.0.${index + 1}:80`;
    return { name, weight, active: 0, credit: 0, seed: textHash(name) };
  });

/** How often each target is picked. */
export const picks = (targets: readonly PlainTarget[], times: number, pick: () => PlainTarget | null): number[] => {
  const counts = new Map<PlainTarget, number>(targets.map((target) => [target, 0]));
  for (let time = 0; time < times; time += 1) {
    const picked = pick() as PlainTarget;
    counts.set(picked, (counts.get(picked) as number) + 1);
  }
  return [...counts.values()];
};
