import type { AgentOptionProblem } from '../../domain/configuration/agent-configuration.js';
import type { IdentityProviderOptions, SamlOptions } from '../../domain/configuration/saml-options.js';
import type { ServiceProviderKey, SigningCertificate } from '../ports/saml-keys.js';
import type { AgentParts } from './agent-parts.js';
import { optionProblem } from './option-problem.js';

/** What the files hold that the `saml` block names. */
export interface SamlFiles {
  /** Null: none is configured. */
  readonly key: ServiceProviderKey | null;
  /** Of the identity provider, or of who signs its metadata; empty where no file is named. */
  readonly certificates: readonly SigningCertificate[];
}

type FileParts = Pick<AgentParts, 'files' | 'clock'> & { readonly saml: Pick<AgentParts['saml'], 'keys'> };

const samlProblem = (severity: AgentOptionProblem['severity'], message: string): AgentOptionProblem =>
  optionProblem(severity, 'saml', message);

const readKey = async (
  { keyFile, certificateFile }: NonNullable<SamlOptions['serviceProviderKey']>,
  { files, saml }: FileParts,
  problems: AgentOptionProblem[],
): Promise<ServiceProviderKey | null> => {
  const key = await files.read(keyFile);
  if (!key.ok) problems.push(samlProblem('error', `sp-key-file: the file ${keyFile} ${key.error}`));
  const certificate = await files.read(certificateFile);
  if (!certificate.ok)
    problems.push(samlProblem('error', `sp-cert-file: the file ${certificateFile} ${certificate.error}`));
  if (!key.ok || !certificate.ok) return null;
  const read = saml.keys.readServiceProviderKey(key.value, certificate.value);
  if (read.ok) return read.value;
  problems.push(samlProblem('error', `sp-key-file and sp-cert-file: ${read.error}`));
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
  const name = `${certificateKey(provider)}: the file ${path}`;
  const pem = await files.read(path);
  const read = pem.ok ? saml.keys.readCertificates(pem.value) : pem;
  if (!read.ok) {
    problems.push(samlProblem('error', `${name} ${read.error}`));
    return [];
  }
  const nowMs = clock.wallMs();
  if (read.value.some(({ notAfterMs }) => notAfterMs < nowMs)) {
    problems.push(samlProblem('warning', `${name} has a certificate whose time is over; its key is used all the same`));
  }
  return read.value;
};

/** Reads keys and certificates; what is wrong with them is added to the problems. */
export const readSamlFiles = async (
  { serviceProviderKey, identityProvider }: Pick<SamlOptions, 'serviceProviderKey' | 'identityProvider'>,
  parts: FileParts,
  problems: AgentOptionProblem[],
): Promise<SamlFiles> => ({
  key: serviceProviderKey === null ? null : await readKey(serviceProviderKey, parts, problems),
  certificates: await readCertificates(identityProvider, parts, problems),
});
