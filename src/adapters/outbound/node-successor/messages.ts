/** What a program and the one that succeeds it say to each other over their channel. */
export type SuccessionMessage =
  /** To the successor, before all else: what is kept over the change, as it is now. */
  | { readonly kind: 'state'; readonly state: unknown }
  /** From the successor: it accepts connections. */
  | { readonly kind: 'serving' }
  /** To the successor, which is in charge from now on: what has changed since `state`. */
  | { readonly kind: 'changes'; readonly changes: unknown }
  /** To the successor: it is not to take over. A channel that only closes says no such thing. */
  | { readonly kind: 'abandoned' };

/** Null where it is none. */
export const successionMessage = (message: unknown): SuccessionMessage | null => {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return null;
  const { kind, state = null, changes = null } = message as { kind: unknown; state?: unknown; changes?: unknown };
  if (kind === 'state') return { kind, state };
  if (kind === 'changes') return { kind, changes };
  return kind === 'serving' || kind === 'abandoned' ? { kind } : null;
};
