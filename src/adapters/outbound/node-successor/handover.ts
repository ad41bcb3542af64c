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

/**
 * What a program tells the one that succeeds it, in its environment: which of its descriptors are what. The rest
 * comes as messages, see `Predecessor`: the environment of a process is bounded, and can be read by its user.
 */
export interface Handover {
  readonly predecessor: number;
  readonly sockets: readonly { readonly key: string; readonly fd: number }[];
}

/** The variable that it stands in. */
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
 * What the program before has handed over; null where there was none. Removes the variable: the sockets are not meant
 * for the processes that this one starts.
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
