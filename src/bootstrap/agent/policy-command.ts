import { parsePolicyArguments } from '../../adapters/inbound/policy-command-line/parse-policy-arguments.js';
import { runPolicyCommand } from '../../adapters/inbound/policy-command-line/run-policy-command.js';
import { KdlPolicyTestSource } from '../../adapters/outbound/kdl-configuration/kdl-policy-test-source.js';
import { NodePolicyFiles } from '../../adapters/outbound/node-text-files/node-policy-files.js';
import { agentBlocksOfFile } from '../shared/configuration-file.js';
import { writeOutput } from '../shared/write-output.js';

/** Runs what follows `gateway-auth policy`, with the streams of this process; gives the exit code. */
export const policyCommand = async (argv: readonly string[]): Promise<number> => {
  const command = parsePolicyArguments(argv);
  if (command.kind === 'say') {
    (command.exitCode === 0 ? process.stdout : process.stderr).write(command.text);
    return command.exitCode;
  }
  if (command.kind === 'corpus') {
    const { policyCorpusCommand } = await import('./policy-corpus.js');
    return policyCorpusCommand(command.folder);
  }
  return writeOutput(
    await runPolicyCommand(command, {
      files: new NodePolicyFiles(),
      tests: new KdlPolicyTestSource(process.env),
      agentBlocks: agentBlocksOfFile,
    }),
  );
};
