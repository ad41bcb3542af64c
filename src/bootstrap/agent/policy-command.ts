import { runCommand } from '../../adapters/command-line/command-output.js';
import { parsePolicyArguments } from '../../adapters/inbound/policy-command-line/parse-policy-arguments.js';
import { runPolicyCommand } from '../../adapters/inbound/policy-command-line/run-policy-command.js';
import { KdlPolicyTestSource } from '../../adapters/outbound/kdl-configuration/kdl-policy-test-source.js';
import { NodePolicyFiles } from '../../adapters/outbound/node-text-files/node-policy-files.js';
import { agentBlocksOfFile } from '../shared/configuration-file.js';

/** Runs `gateway-auth policy` with this process's streams. Resolves with the exit code. */
export const policyCommand = async (argv: readonly string[]): Promise<number> => {
  const command = parsePolicyArguments(argv);
  if (command.kind === 'corpus') {
    const { policyCorpusCommand } = await import('./policy-corpus.js');
    return policyCorpusCommand(command.folder);
  }
  const parts = {
    files: new NodePolicyFiles(),
    tests: new KdlPolicyTestSource(process.env),
    agentBlocks: agentBlocksOfFile,
  };
  return runCommand(command, (parsed) => runPolicyCommand(parsed, parts));
};
