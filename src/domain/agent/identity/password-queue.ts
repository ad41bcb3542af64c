/** Limits of concurrent checks. */
export interface PasswordQueueLimits {
  readonly running: number;
  readonly waiting: number;
  readonly waitingPerUser: number;
}

/** The waiting checks of one user, in order of arrival; never empty. */
interface Turn<Item> {
  readonly user: string;
  readonly items: readonly Item[];
}

/**
 * Running and waiting password checks. Users take turns with their first check, so a user with many checks delays
 * another by at most one.
 * INVARIANT: checks wait only while the limit of running ones is reached.
 */
export interface PasswordQueue<Item> {
  readonly running: number;
  /** One per waiting user, the next first. */
  readonly turns: readonly Turn<Item>[];
}

export const emptyPasswordQueue: PasswordQueue<never> = { running: 0, turns: [] };

export const waitingIn = ({ turns }: PasswordQueue<unknown>): number =>
  turns.reduce((count, { items }) => count + items.length, 0);

export type QueueAdmission<Item> =
  /** The caller must start the check. */
  | { readonly kind: 'start'; readonly queue: PasswordQueue<Item> }
  | { readonly kind: 'wait'; readonly queue: PasswordQueue<Item> }
  /** A limit is reached; the queue does not change. */
  | { readonly kind: 'refused' };

/** Adds a check. */
export const admitCheck = <Item>(
  queue: PasswordQueue<Item>,
  user: string,
  item: Item,
  limits: PasswordQueueLimits,
): QueueAdmission<Item> => {
  const { running, turns } = queue;
  if (running < limits.running) return { kind: 'start', queue: { running: running + 1, turns } };
  const turn = turns.find((one) => one.user === user);
  if (waitingIn(queue) >= limits.waiting || (turn?.items.length ?? 0) >= limits.waitingPerUser) {
    return { kind: 'refused' };
  }
  if (turn === undefined) return { kind: 'wait', queue: { running, turns: [...turns, { user, items: [item] }] } };
  const longer = { user, items: [...turn.items, item] };
  return { kind: 'wait', queue: { running, turns: turns.map((one) => (one === turn ? longer : one)) } };
};

export interface Succession<Item> {
  readonly queue: PasswordQueue<Item>;
  /** The caller must start it; null if nothing waits. */
  readonly next: { readonly item: Item } | null;
}

/** Ends a running check, and selects the next one. */
export const finishCheck = <Item>({ running, turns }: PasswordQueue<Item>): Succession<Item> => {
  const [turn, ...others] = turns;
  const [item, ...later] = turn?.items ?? [];
  if (turn === undefined || item === undefined) return { queue: { running: running - 1, turns }, next: null };
  const rest = later.length === 0 ? others : [...others, { user: turn.user, items: later }];
  return { queue: { running, turns: rest }, next: { item } };
};

/** Removes a waiting check; no change if it does not wait. */
export const withdrawCheck = <Item>(queue: PasswordQueue<Item>, item: Item): PasswordQueue<Item> => {
  const turn = queue.turns.find(({ items }) => items.includes(item));
  if (turn === undefined) return queue;
  const items = turn.items.filter((one) => one !== item);
  const turns =
    items.length === 0
      ? queue.turns.filter((one) => one !== turn)
      : queue.turns.map((one) => (one === turn ? { user: turn.user, items } : one));
  return { running: queue.running, turns };
};
