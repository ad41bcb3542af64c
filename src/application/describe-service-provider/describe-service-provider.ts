import type { ConfigurationProblem } from '../../domain/configuration/configuration-problem.js';
import { unplacedProblem } from '../../domain/configuration/configuration-problem.js';
import type { SamlOptions } from '../../domain/configuration/saml-options.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { ConfigurationSource } from '../ports/configuration-source.js';
import type { SamlKeys, ServiceProviderKey } from '../ports/saml-keys.js';
import type { TextFileReader } from '../ports/text-file-reader.js';
import { metadataOf } from '../single-sign-on/service-provider.js';
import { agentSaml } from './agent-saml.js';

export interface DescriptionParts {
  readonly files: TextFileReader;
  readonly keys: SamlKeys;
}

export interface ServiceProviderDescription {
  /** The metadata, as the metadata path serves it; null where there was an error. */
  readonly metadata: string | null;
  readonly errors: readonly ConfigurationProblem[];
}

const readKey = async (
  { serviceProviderKey }: SamlOptions,
  { files, keys }: DescriptionParts,
): Promise<Result<ServiceProviderKey | null, string>> => {
  if (serviceProviderKey === null) return ok(null);
  const { keyFile, certificateFile } = serviceProviderKey;
  const key = await files.read(keyFile);
  if (!key.ok) return err(`sp-key-file: the file ${keyFile} ${key.error}`);
  const certificate = await files.read(certificateFile);
  if (!certificate.ok) return err(`sp-cert-file: the file ${certificateFile} ${certificate.error}`);
  const read = keys.readServiceProviderKey(key.value, certificate.value);
  return read.ok ? read : err(`sp-key-file and sp-cert-file: ${read.error}`);
};

/** Makes the metadata of the service provider that an agent block describes. Nothing is fetched, and nothing served. */
export const describeServiceProvider = async (
  source: ConfigurationSource,
  agentName: string | null,
  parts: DescriptionParts,
): Promise<ServiceProviderDescription> => {
  const { options, errors } = await agentSaml(source, agentName);
  if (options === null) return { metadata: null, errors };
  const key = await readKey(options, parts);
  return key.ok
    ? { metadata: metadataOf(options, key.value), errors }
    : { metadata: null, errors: [...errors, unplacedProblem('error', `saml: ${key.error}`)] };
};
