import { parseSamlArguments } from '../../adapters/inbound/saml-command-line/parse-saml-arguments.js';
import { runMetadataCommand } from '../../adapters/inbound/saml-command-line/run-metadata-command.js';
import { NodeTextFileReader } from '../../adapters/outbound/node-text-files/node-text-file-reader.js';
import { NodeSamlKeys } from '../../adapters/outbound/xml-crypto-saml/node-saml-keys.js';
import { agentBlocksOfFile } from '../shared/configuration-file.js';
import { writeOutput } from '../shared/write-output.js';

/** Runs what follows `gateway-auth saml`, with the streams of this process; gives the exit code. */
export const samlCommand = async (argv: readonly string[]): Promise<number> => {
  const command = parseSamlArguments(argv);
  if (command.kind === 'say') {
    (command.exitCode === 0 ? process.stdout : process.stderr).write(command.text);
    return command.exitCode;
  }
  const parts = { agentBlocks: agentBlocksOfFile, files: new NodeTextFileReader(), keys: new NodeSamlKeys() };
  return writeOutput(await runMetadataCommand(command, parts));
};
