import type { ConfigurationProblem } from '../../../../domain/configuration/configuration-problem.js';
import type { LoadFailure } from '../../run-gateway/prepared-reload.js';

/** The members of a system error that are kept: serialization to another process drops own members of errors. */
const memberNames = ['code', 'syscall', 'address', 'hostname', 'port', 'path'] as const;

/** An error as data that a message can carry. */
export interface SerializedError {
  readonly message: string;
  readonly members: Readonly<Record<string, string | number>>;
}

/** A `LoadFailure` as data that a message can carry. */
export interface SerializedFailure {
  readonly problems: readonly ConfigurationProblem[];
  readonly reason: string | null;
  readonly cause: SerializedError | null;
}

export const serializeError = (error: unknown): SerializedError => {
  if (!(error instanceof Error)) return { message: String(error), members: {} };
  const members = memberNames.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });
  return { message: error.message, members: Object.fromEntries(members) };
};

export const deserializeError = ({ message, members }: SerializedError): Error =>
  Object.assign(new Error(message), members);

export const serializeFailure = ({ problems, reason, cause }: LoadFailure): SerializedFailure => ({
  problems,
  reason,
  cause: cause === null ? null : serializeError(cause),
});

export const deserializeFailure = ({ problems, reason, cause }: SerializedFailure): LoadFailure => ({
  problems,
  reason,
  cause: cause && deserializeError(cause),
});
