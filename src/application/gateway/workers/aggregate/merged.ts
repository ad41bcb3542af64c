import type { CircuitState } from '../../../../domain/gateway/circuit-breaking/circuit-breaker.js';

/** Merges items with the same key, in the order of their first occurrence. */
export const mergedBy = <Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  merge: (same: readonly [Item, ...Item[]]) => Item,
): readonly Item[] => {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()].map(merge);
};

export const sumOf = <Item>(items: readonly Item[], figure: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + figure(item), 0);

/** The first value that is not null. */
export const firstOf = <Value>(values: readonly (Value | null)[]): Value | null =>
  values.find((value) => value !== null) ?? null;

/** The value that is last in `order`, which must contain every value. */
export const worstOf = <Value>(order: readonly Value[], [first, ...others]: readonly [Value, ...Value[]]): Value =>
  others.reduce((worst, value) => (order.indexOf(value) > order.indexOf(worst) ? value : worst), first);

const bestToWorst: readonly CircuitState[] = ['closed', 'half_open', 'open'];

/** The worst state; null: no worker has a breaker. */
export const worstBreaker = (states: readonly (CircuitState | null)[]): CircuitState | null => {
  const [first, ...others] = states.filter((state) => state !== null);
  return first === undefined ? null : worstOf(bestToWorst, [first, ...others]);
};
