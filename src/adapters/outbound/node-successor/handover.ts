/** Messages between a program and its successor over their channel. */
export type SuccessionMessage =
  /** To the successor, first: the state to keep. */
  | { readonly kind: 'state'; readonly state: unknown }
  /** From the successor: it accepts connections. */
  | { readonly kind: 'serving' }
  /** To the successor, which takes over now: changes since `state`. */
  | { readonly kind: 'changes'; readonly changes: unknown }
  /** To the successor: do not take over. A closed channel does not mean this. */
  | { readonly kind: 'abandoned' };

/** Validates a message; null if it is invalid. */
export const successionMessage = (message: unknown): SuccessionMessage | null => {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return null;
  const { kind, state = null, changes = null } = message as { kind: unknown; state?: unknown; changes?: unknown };
  if (kind === 'state') return { kind, state };
  if (kind === 'changes') return { kind, changes };
  return kind === 'serving' || kind === 'abandoned' ? { kind } : null;
};

/**
 * The roles of inherited descriptors, passed to the successor in its environment. The rest is sent
 * as messages (see `Predecessor`): an environment is bounded, and its user can read it.
 */
export interface Handover {
  readonly predecessor: number;
  readonly sockets: readonly { readonly key: string; readonly fd: number }[];
}

/** Environment variable of the handover. */
export const handoverVariable = 'PORTCULLIS_HANDOVER';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isDescriptor = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 2;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Reads the handover of the predecessor; null if there is none. Removes the variable, which must
 * not reach child processes.
 */
export const takeHandover = (env: Record<string, string | undefined>): Handover | null => {
  const text = env[handoverVariable];
  delete env[handoverVariable];
  const value = text === undefined ? null : parsed(text);
  if (!isRecord(value)) return null;
  const { predecessor, sockets } = value;
  if (typeof predecessor !== 'number' || !Array.isArray(sockets)) return null;
  const taken = sockets.flatMap((socket: unknown) => {
    if (!isRecord(socket)) return [];
    const { key, fd } = socket;
    return typeof key === 'string' && isDescriptor(fd) ? [{ key, fd }] : [];
  });
  return { predecessor, sockets: taken };
};
