/**
 * What a program tells the one that succeeds it, in its environment: which of its descriptors are what. The rest comes as
 * messages, see `Predecessor`: the environment of a process is bounded, and can be read by its user.
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
 * What the program before has handed over; null where there was none. Removes the variable: the sockets are not meant for
 * the processes that this one starts.
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
