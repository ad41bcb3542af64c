/** How a process came to its end: one of the two is there, where the system said how. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  /** Name of the signal that ended it. */
  readonly signal: string | null;
}

/** As in `ended with exit code 1`. */
export const processEndText = ({ exitCode, signal }: ProcessEnd): string => {
  if (signal !== null) return `was ended by ${signal}`;
  return exitCode === null ? 'could not be started' : `ended with exit code ${exitCode}`;
};
