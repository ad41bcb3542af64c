import {
  type DescriptionParts,
  describeServiceProvider,
} from '../../../application/describe-service-provider/describe-service-provider.js';
import type { ConfigurationSource } from '../../../application/ports/configuration-source.js';
import { formatProblem } from '../../../domain/configuration/format-problem.js';
import { type CommandOutput, failed } from './command-output.js';
import type { SamlCommand } from './saml-command.js';

export interface MetadataCommandParts extends DescriptionParts {
  readonly configuration: (file: string) => ConfigurationSource;
}

/** Runs `saml metadata`. Nothing is written: what is to be is in the result. */
export const runMetadataCommand = async (
  { configFile, agentName }: Extract<SamlCommand, { kind: 'metadata' }>,
  parts: MetadataCommandParts,
): Promise<CommandOutput> => {
  const { metadata, errors } = await describeServiceProvider(parts.configuration(configFile), agentName, parts);
  if (metadata === null) return failed(errors.map((problem) => `${formatProblem(problem)}\n`).join(''));
  return { result: metadata, messages: '', exitCode: 0 };
};
