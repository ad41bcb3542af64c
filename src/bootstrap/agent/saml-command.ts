import { runCommand } from '../../adapters/command-line/command-output.js';
import { parseSamlArguments, runMetadataCommand } from '../../adapters/inbound/saml-command-line/metadata-command.js';
import { NodeTextFileReader } from '../../adapters/outbound/node-text-files/node-text-file-reader.js';
import { NodeSamlKeys } from '../../adapters/outbound/xml-crypto-saml/node-saml-keys.js';
import { agentBlocksOfFile } from '../shared/configuration-file.js';

/** Runs `gateway-auth saml` with this process's streams. Resolves with the exit code. */
export const samlCommand = (argv: readonly string[]): Promise<number> => {
  const parts = { agentBlocks: agentBlocksOfFile, files: new NodeTextFileReader(), keys: new NodeSamlKeys() };
  return runCommand(parseSamlArguments(argv), (command) => runMetadataCommand(command, parts));
};
