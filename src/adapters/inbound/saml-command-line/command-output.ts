/** What a command writes, and what a shell gets to know of it. */
export interface CommandOutput {
  /** For the standard output. */
  readonly result: string;
  /** For the standard error: everything that is for a person to read and no result. */
  readonly messages: string;
  readonly exitCode: 0 | 1;
}

export const failedCommand = (messages: string): CommandOutput => ({ result: '', messages, exitCode: 1 });
