import type { ConfigurationProblem } from '../../../../domain/configuration/configuration-problem.js';
import type { LoadFailure } from '../../run-gateway/prepared-reload.js';

/** What is said of an error of the system: its own members are lost on the way to another process. */
const memberNames = ['code', 'syscall', 'address', 'hostname', 'port', 'path'] as const;

/** An error as plain data. */
export interface PlainError {
  readonly message: string;
  readonly members: Readonly<Record<string, string | number>>;
}

/** A `LoadFailure` as plain data. */
export interface PlainFailure {
  readonly problems: readonly ConfigurationProblem[];
  readonly reason: string | null;
  readonly cause: PlainError | null;
}

export const plainError = (error: unknown): PlainError => {
  if (!(error instanceof Error)) return { message: String(error), members: {} };
  const members = memberNames.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });
  return { message: error.message, members: Object.fromEntries(members) };
};

export const errorOf = ({ message, members }: PlainError): Error => Object.assign(new Error(message), members);

export const plainFailure = ({ problems, reason, cause }: LoadFailure): PlainFailure => ({
  problems,
  reason,
  cause: cause === null ? null : plainError(cause),
});

export const failureOf = ({ problems, reason, cause }: PlainFailure): LoadFailure => ({
  problems,
  reason,
  cause: cause && errorOf(cause),
});
