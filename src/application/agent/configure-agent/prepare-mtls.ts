import { parseAllowedSan } from '../../../domain/agent/client-certificates/allowed-san.js';
import {
  type CertificateRules,
  prepareCertificateRules,
} from '../../../domain/agent/client-certificates/certificate-rules.js';
import { parseDistinguishedName } from '../../../domain/agent/client-certificates/distinguished-name.js';
import type { MtlsOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CertificateReader, ReadCertificate } from '../../ports/shared/certificate-reader.js';
import type { AgentParts } from './agent-parts.js';
import { optionProblem } from './option-problem.js';

/** What client certificates are checked with. */
export interface PreparedMtls {
  readonly rules: CertificateRules;
  /** Null: whoever sets the header has checked the chain. */
  readonly authorities: readonly ReadCertificate[] | null;
  readonly reader: CertificateReader;
}

const mtlsError = (message: string): Result<never, AgentOptionProblem> => err(optionProblem('error', 'mtls', message));

/** The rules have parsed each text before; one that were lost here would leave a list without it, or without any. */
const parseAll = <Value>(
  key: string,
  texts: readonly string[],
  parse: (text: string) => Result<Value, string>,
): Result<readonly Value[], AgentOptionProblem> => {
  const values: Value[] = [];
  for (const [index, text] of texts.entries()) {
    const parsed = parse(text);
    if (!parsed.ok) return mtlsError(`${key}: entry ${index + 1} ${parsed.error}`);
    values.push(parsed.value);
  }
  return ok(values);
};

const certificateRules = (options: MtlsOptions): Result<CertificateRules, AgentOptionProblem> => {
  const names = parseAll('allowed-dns', options.allowedDns, parseDistinguishedName);
  if (!names.ok) return names;
  const sans = parseAll('allowed-sans', options.allowedSans, parseAllowedSan);
  if (!sans.ok) return sans;
  return ok(
    prepareCertificateRules({
      allowedNames: names.value,
      allowedSans: sans.value,
      userIdFrom: options.userIdFrom,
      extractCn: options.extractCnAsUser ?? true,
      extractEmail: options.extractSanEmailAsUser ?? false,
    }),
  );
};

/** Reads the authorities from their file. */
export const prepareMtls = async (
  options: MtlsOptions,
  { files, loadCertificateReader }: AgentParts,
): Promise<Result<PreparedMtls, AgentOptionProblem>> => {
  const rules = certificateRules(options);
  if (!rules.ok) return rules;
  const { caCertPath } = options;
  const reader = await loadCertificateReader();
  if (caCertPath === null) return ok({ rules: rules.value, authorities: null, reader });
  const pem = await files.read(caCertPath);
  const authorities = pem.ok ? reader.readPem(pem.value) : pem;
  if (authorities.ok) return ok({ rules: rules.value, authorities: authorities.value, reader });
  return mtlsError(`ca-cert-path: the file ${caCertPath} ${authorities.error}`);
};
