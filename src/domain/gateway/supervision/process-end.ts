/** How a process ended. At most one field is set; none if it could not start. */
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
