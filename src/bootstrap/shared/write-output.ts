/** What a command of `gateway-auth` has to say. */
interface Output {
  readonly result: string;
  readonly messages: string;
  readonly exitCode: number;
}

/** Who reads the output may have read enough, as `head` does. */
const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
};

/** Writes to the streams of this process; gives the exit code. */
export const writeOutput = ({ result, messages, exitCode }: Output): number => {
  process.stdout.on('error', ignoreClosedPipe);
  process.stderr.on('error', ignoreClosedPipe);
  process.stderr.write(messages);
  process.stdout.write(result);
  return exitCode;
};
