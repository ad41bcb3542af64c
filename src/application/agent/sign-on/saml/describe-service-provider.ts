import { type ConfigurationProblem, unplacedProblem } from '../../../../domain/configuration/configuration-problem.js';
import { ok } from '../../../../domain/shared/result.js';
import type { AgentBlockReader } from '../../../ports/agent/agent-block-reader.js';
import type { SamlKeys } from '../../../ports/agent/saml-keys.js';
import type { TextFileReader } from '../../../ports/shared/text-file-reader.js';
import { agentSaml } from './agent-saml.js';
import { metadataOf, readServiceProviderKey } from './service-provider.js';

export interface DescriptionReaders {
  readonly files: TextFileReader;
  readonly keys: SamlKeys;
}

export interface DescribedServiceProvider {
  /** The metadata that the metadata path returns; null on an error. */
  readonly metadata: string | null;
  readonly errors: readonly ConfigurationProblem[];
}

/** Builds the metadata of the service provider of an agent block. Fetches and serves nothing. */
export const describeServiceProvider = async (
  readBlock: AgentBlockReader,
  agentName: string | null,
  parts: DescriptionReaders,
): Promise<DescribedServiceProvider> => {
  const { options, errors } = await agentSaml(readBlock, agentName);
  if (options === null) return { metadata: null, errors };
  const { serviceProviderKey } = options;
  const key = serviceProviderKey === null ? ok(null) : await readServiceProviderKey(serviceProviderKey, parts);
  if (key.ok) return { metadata: metadataOf(options, key.value), errors };
  const faults = key.error.map(({ message }) => unplacedProblem('error', `saml: ${message}`));
  return { metadata: null, errors: [...errors, ...faults] };
};
