import { parseAllowedSan } from '../../../domain/agent/client-certificates/allowed-san.js';
import {
  type CertificateRules,
  prepareCertificateRules,
} from '../../../domain/agent/client-certificates/certificate-rules.js';
import { parseDistinguishedName } from '../../../domain/agent/client-certificates/distinguished-name.js';
import type { BasicUser, JwtOptions, MtlsOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import { aboutOidc, looksLikeJson } from '../../../domain/agent/configuration/public-key-text.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';
import type { CertificateReader, ReadCertificate } from '../../ports/shared/certificate-reader.js';
import { RevocationFiles } from '../revocation/revocation-files.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { optionProblem } from './option-problem.js';
import { prepareHashes } from './prepare-hashes.js';

/** What the check of client certificates needs. */
interface PreparedMtls {
  readonly rules: CertificateRules;
  /** Null: the component that sets the header checks the chain. */
  readonly authorities: readonly ReadCertificate[] | null;
  readonly reader: CertificateReader;
  /** Null: no revocation lists. The caller watches and releases them. */
  readonly revocations: RevocationFiles | null;
}

const mtlsError = (message: string): Result<never, AgentOptionProblem> => err(optionProblem('error', 'mtls', message));

/**
 * The option checks have parsed each text before. A failure here is an error, because dropping an entry would weaken
 * the list.
 */
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

/** Reads the revocation lists; null if none is configured. */
const prepareRevocationFiles = async (
  { crlFiles: paths }: MtlsOptions,
  authorities: readonly ReadCertificate[],
  { changingFiles: files, scheduler, clock, logger }: AgentProcessServices,
): Promise<Result<RevocationFiles | null, AgentOptionProblem>> => {
  if (paths.length === 0) return ok(null);
  const revocations = new RevocationFiles({ paths, authorities, files, scheduler, clock, logger });
  const failures = await revocations.load();
  return failures.length === 0 ? ok(revocations) : mtlsError(`crl-file: ${failures.join('; ')}`);
};

/** Reads the authorities and the revocation lists from their files. */
const prepareMtls = async (
  options: MtlsOptions,
  parts: AgentProcessServices,
): Promise<Result<PreparedMtls, AgentOptionProblem>> => {
  const rules = certificateRules(options);
  if (!rules.ok) return rules;
  const { caCertPath } = options;
  const reader = await parts.loadCertificateReader();
  if (caCertPath === null) return ok({ rules: rules.value, authorities: null, reader, revocations: null });
  const pem = await parts.files.read(caCertPath);
  const authorities = pem.ok ? reader.readPem(pem.value) : pem;
  if (!authorities.ok) return mtlsError(`ca-cert-path: the file ${caCertPath} ${authorities.error}`);
  const revocations = await prepareRevocationFiles(options, authorities.value, parts);
  if (!revocations.ok) return revocations;
  return ok({ rules: rules.value, authorities: authorities.value, reader, revocations: revocations.value });
};

/** Prepares the configured key, from its file if it has one. */
const prepareJwtKey = async (
  { key }: JwtOptions,
  { keys, files }: AgentProcessServices,
): Promise<Result<TokenVerifier, AgentOptionProblem>> => {
  if (key.algorithm === 'HS256') {
    const verifier = await keys.prepare(key);
    return verifier.ok ? verifier : err(optionProblem('error', 'jwt-secret', `the secret ${verifier.error}`));
  }
  const pem = await files.read(key.publicKeyFile);
  const verifier = pem.ok ? await keys.prepare({ algorithm: key.algorithm, publicKeyPem: pem.value }) : pem;
  if (verifier.ok) return verifier;
  const problem = optionProblem('error', 'jwt-public-key', `the file ${key.publicKeyFile} ${verifier.error}`);
  return err(pem.ok && looksLikeJson(pem.value) ? { ...problem, suggestion: aboutOidc } : problem);
};

/** Checks that this process can verify the configured kinds of hashes. */
const preparePasswords = (
  users: readonly BasicUser[],
  parts: Pick<AgentProcessServices, 'passwords'>,
): Promise<readonly AgentOptionProblem[]> => {
  const hashes = users.map(({ password }) => password).filter((password) => password.kind !== 'plain');
  return prepareHashes(hashes, 'basic-auth-users', 'passwords', parts);
};

/** What methods need besides their options; null for methods that are not configured. */
export interface PreparedMethods {
  readonly jwtVerifier: TokenVerifier | null;
  readonly mtls: PreparedMtls | null;
}

/** Reads and imports what the options name, and adds problems to the list. */
export const prepareMethods = async (
  options: CompleteAgentOptions,
  parts: AgentProcessServices,
  problems: AgentOptionProblem[],
): Promise<PreparedMethods> => {
  const taken = <Value>(result: Result<Value, AgentOptionProblem>): Value | null => {
    if (!result.ok) problems.push(result.error);
    return result.ok ? result.value : null;
  };
  const jwtVerifier = options.jwt === null ? null : taken(await prepareJwtKey(options.jwt, parts));
  const mtls = options.mtls === null ? null : taken(await prepareMtls(options.mtls, parts));
  problems.push(...(await preparePasswords(options.basicUsers, parts)));
  return { jwtVerifier, mtls };
};
