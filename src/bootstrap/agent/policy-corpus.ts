import { runCorpusCommand } from '../../adapters/inbound/policy-corpus-command/run-corpus-command.js';
import { NodeCorpusFiles } from '../../adapters/outbound/node-corpus-files/node-corpus-files.js';

/**
 * Runs `gateway-auth policy corpus FOLDER` with the streams of this process. Resolves to the exit
 * code.
 */
export const policyCorpusCommand = (folder: string): Promise<number> => {
  // The command goes on when the reader of its messages is gone.
  process.stderr.on('error', () => undefined);
  return runCorpusCommand(folder, new NodeCorpusFiles(folder), {
    results: process.stdout,
    messages: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
  });
};
