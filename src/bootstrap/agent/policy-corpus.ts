import { runCorpusCommand } from '../../adapters/inbound/policy-corpus-command/run-corpus-command.js';
import { NodeCorpusFiles } from '../../adapters/outbound/node-corpus-files/node-corpus-files.js';

/** Runs `gateway-auth policy corpus FOLDER` with the streams of this process; gives the exit code. */
export const policyCorpusCommand = (folder: string): Promise<number> => {
  // Messages that nobody reads any more are no reason to stop.
  process.stderr.on('error', () => undefined);
  return runCorpusCommand(folder, new NodeCorpusFiles(folder), {
    results: process.stdout,
    messages: (text) => void process.stderr.write(text),
    isWatched: process.stderr.isTTY === true,
  });
};
