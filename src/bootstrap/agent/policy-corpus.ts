import { runCorpusCommand } from '../../adapters/inbound/policy-corpus-command/run-corpus-command.js';
import { NodeCorpusFiles } from '../../adapters/outbound/node-corpus-files/node-corpus-files.js';

/**
 * Runs `gateway-auth policy corpus FOLDER` with this process's streams. Resolves with the exit
 * code.
 */
export const policyCorpusCommand = (folder: string): Promise<number> => {
  // The command continues if the reader of its messages has gone.
  process.stderr.on('error', () => undefined);
  return runCorpusCommand(folder, new NodeCorpusFiles(folder), {
    results: process.stdout,
    messages: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
  });
};
