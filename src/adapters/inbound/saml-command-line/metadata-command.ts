import {
  type DescriptionReaders,
  describeServiceProvider,
} from '../../../application/agent/sign-on/saml/describe-service-provider.js';
import type { AgentBlockReader } from '../../../application/ports/agent/agent-block-reader.js';
import { type CommandOutput, failedCommand, type UsageOutput } from '../../command-line/command-output.js';
import { emptyFlag, flagValue } from '../../command-line/flag-values.js';
import {
  misuse,
  newProgram,
  type Program,
  parseCommandName,
  parseProgram,
  withAgentBlock,
} from '../../command-line/program.js';
import { problemsText } from '../../command-line/terminal-text.js';

const group = 'gateway-auth saml';

const samlHelp = `
Commands; each has its own --help:
  gateway-auth saml metadata  write the metadata for the identity provider

Examples:
  gateway-auth saml metadata --config gateway.kdl --agent auth > metadata.xml
`;

const metadataHelp = `
Writes the same metadata that the agent serves at metadata-path: entity id, consumer and sign-out URLs, and the certificate
of sp-cert-file. The saml block may still be disabled. The command does not contact the identity provider.

Examples:
  gateway-auth saml metadata --config gateway.kdl                  the only agent of the file
  gateway-auth saml metadata --config gateway.kdl --agent auth     one of several agents

Exit codes:
  0  the metadata is written
  1  the configuration has errors, or a key or certificate is unreadable
  2  wrong usage
`;

const samlProgram: Program = (print) =>
  newProgram(group, '<command> [options]', print)
    .description('Helps to set up single sign-on. Sends no requests.')
    .addHelpText('after', samlHelp);

const metadataProgram: Program = (print) =>
  withAgentBlock(
    newProgram(`${group} metadata`, '[options]', print),
    'configuration of the gateway, with the saml block of an agent',
  )
    .description('Writes the metadata of the service provider, for its identity provider.')
    .addHelpText('after', metadataHelp);

/** `gateway-auth saml metadata`. */
export interface MetadataCommand {
  readonly kind: 'metadata';
  readonly configFile: string;
  /** Null: the only agent of the file. */
  readonly agentName: string | null;
}

/** Reads the arguments after `gateway-auth saml`. Never throws, writes or ends the process. */
export const parseSamlArguments = (argv: readonly string[]): MetadataCommand | UsageOutput => {
  const name = parseCommandName(group, samlProgram, ['metadata'], argv);
  if (typeof name !== 'string') return name;
  const parsed = parseProgram(`${group} ${name}`, metadataProgram, argv.slice(1));
  if (parsed.kind === 'usage') return parsed;
  const empty = emptyFlag(parsed.values);
  if (empty !== null) return misuse(`${group} ${name}`, `error: --${empty} is empty`);
  const configFile = flagValue(parsed.values, 'config');
  if (configFile === null) return misuse(`${group} ${name}`, 'error: --config FILE is missing');
  return { kind: 'metadata', configFile, agentName: flagValue(parsed.values, 'agent') };
};

export interface MetadataCommandPorts extends DescriptionReaders {
  readonly agentBlocks: (file: string) => AgentBlockReader;
}

/** Runs `saml metadata`. Returns the output without writing it. */
export const runMetadataCommand = async (
  { configFile, agentName }: MetadataCommand,
  parts: MetadataCommandPorts,
): Promise<CommandOutput> => {
  const { metadata, errors } = await describeServiceProvider(parts.agentBlocks(configFile), agentName, parts);
  return metadata === null ? failedCommand(problemsText(errors)) : { stdout: metadata, stderr: '', exitCode: 0 };
};
