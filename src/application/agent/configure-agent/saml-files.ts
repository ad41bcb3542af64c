import type { IdentityProviderOptions, SamlOptions } from '../../../domain/agent/configuration/saml-options.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { ServiceProviderKey, SigningCertificate } from '../../ports/agent/saml-keys.js';
import { readServiceProviderKey } from '../sign-on/saml/service-provider.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { optionProblem } from './option-problem.js';

/** The contents of the files that the `saml` block names. */
export interface SamlFiles {
  /** Null: not configured. */
  readonly key: ServiceProviderKey | null;
  /** Certificates of the identity provider or of its metadata signer; empty if no file is named. */
  readonly certificates: readonly SigningCertificate[];
}

type FileParts = Pick<AgentProcessServices, 'files' | 'clock'> & {
  readonly saml: Pick<AgentProcessServices['saml'], 'keys'>;
};

const samlProblem = (severity: AgentOptionProblem['severity'], key: string, message: string): AgentOptionProblem =>
  optionProblem(severity, 'saml', message, { key });

const readKey = async (
  configured: NonNullable<SamlOptions['serviceProviderKey']>,
  { files, saml }: FileParts,
  problems: AgentOptionProblem[],
): Promise<ServiceProviderKey | null> => {
  const read = await readServiceProviderKey(configured, { files, keys: saml.keys });
  if (read.ok) return read.value;
  problems.push(...read.error.map(({ key, message }) => samlProblem('error', key, message)));
  return null;
};

const certificateKey = ({ kind }: IdentityProviderOptions): string =>
  kind === 'metadata' ? 'idp-metadata-cert-file' : 'idp-cert-file';

const readCertificates = async (
  provider: IdentityProviderOptions,
  { files, saml, clock }: FileParts,
  problems: AgentOptionProblem[],
): Promise<readonly SigningCertificate[]> => {
  const path = provider.certificateFile;
  if (path === null) return [];
  const key = certificateKey(provider);
  const name = `${key}: the file ${path}`;
  const pem = await files.read(path);
  const read = pem.ok ? saml.keys.readCertificates(pem.value) : pem;
  if (!read.ok) {
    problems.push(samlProblem('error', key, `${name} ${read.error}`));
    return [];
  }
  const nowMs = clock.wallMs();
  if (read.value.some(({ notAfterMs }) => notAfterMs < nowMs)) {
    const message = `${name} has an expired certificate; its key is still used`;
    problems.push(samlProblem('warning', key, message));
  }
  return read.value;
};

/** Reads keys and certificates, and adds problems to the list. */
export const readSamlFiles = async (
  { serviceProviderKey, identityProvider }: Pick<SamlOptions, 'serviceProviderKey' | 'identityProvider'>,
  parts: FileParts,
  problems: AgentOptionProblem[],
): Promise<SamlFiles> => ({
  key: serviceProviderKey === null ? null : await readKey(serviceProviderKey, parts, problems),
  certificates: await readCertificates(identityProvider, parts, problems),
});
