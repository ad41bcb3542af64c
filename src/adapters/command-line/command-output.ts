/** The output and the exit code of a command. */
export interface CommandOutput {
  /** The result. */
  readonly stdout: string;
  /** Messages for a person. */
  readonly stderr: string;
  readonly exitCode: 0 | 1 | 2 | 3;
}

/** The output for arguments that run no command: help and version on stdout, wrong usage on stderr. */
export interface UsageOutput extends CommandOutput {
  readonly kind: 'usage';
}

/** A command that fails has no result. */
export const failedCommand = (stderr: string): CommandOutput => ({ stdout: '', stderr, exitCode: 1 });

/** A reader such as `head` closes the pipe early. */
const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
};

/** Writes to the streams of this process. Returns the exit code. */
export const writeOutput = ({ stdout, stderr, exitCode }: CommandOutput): number => {
  process.stdout.on('error', ignoreClosedPipe);
  process.stderr.on('error', ignoreClosedPipe);
  process.stderr.write(stderr);
  process.stdout.write(stdout);
  return exitCode;
};

const isUsage = (command: { readonly kind: string }): command is UsageOutput => command.kind === 'usage';

/** Runs a parsed command, or takes usage as is, and writes the output. Resolves to the exit code. */
export const runCommand = async <Command extends { readonly kind: string }>(
  command: Command | UsageOutput,
  run: (command: Command) => Promise<CommandOutput>,
): Promise<number> => writeOutput(isUsage(command) ? command : await run(command));
