import {
  type DescriptionParts,
  describeServiceProvider,
} from '../../../application/agent/sign-on/saml/describe-service-provider.js';
import type { AgentBlockReader } from '../../../application/ports/agent/agent-block-reader.js';
import { formatProblem } from '../../../domain/configuration/configuration-problem.js';
import { type CommandOutput, failedCommand } from './command-output.js';
import type { SamlCommand } from './saml-command.js';

export interface MetadataCommandParts extends DescriptionParts {
  readonly agentBlocks: (file: string) => AgentBlockReader;
}

/** Runs `saml metadata`. Nothing is written: what is to be is in the result. */
export const runMetadataCommand = async (
  { configFile, agentName }: Extract<SamlCommand, { kind: 'metadata' }>,
  parts: MetadataCommandParts,
): Promise<CommandOutput> => {
  const { metadata, errors } = await describeServiceProvider(parts.agentBlocks(configFile), agentName, parts);
  if (metadata === null) return failedCommand(errors.map((problem) => `${formatProblem(problem)}\n`).join(''));
  return { result: metadata, messages: '', exitCode: 0 };
};
