import type { Result } from '../../shared/result.js';
import { parseAllowedSan } from '../client-certificates/allowed-san.js';
import { parseDistinguishedName } from '../client-certificates/distinguished-name.js';
import type { MtlsOptions } from './agent-configuration.js';
import type { OptionReport } from './option-report.js';

const checkList = (
  key: 'allowed-dns' | 'allowed-sans',
  texts: readonly string[],
  parse: (text: string) => Result<unknown, string>,
  error: OptionReport,
): void => {
  texts.forEach((text, index) => {
    const parsed = parse(text);
    if (!parsed.ok) error('mtls', `${key}: entry ${index + 1} ${parsed.error}`, undefined, { key });
  });
};

/** The older keys express the same, so only one way may be used. */
const checkUserIdFrom = ({ userIdFrom, ...mtls }: MtlsOptions, error: OptionReport): void => {
  if (userIdFrom.length === 0) return;
  const older = [
    ['extract-cn-as-user', mtls.extractCnAsUser],
    ['extract-san-email-as-user', mtls.extractSanEmailAsUser],
  ] as const;
  for (const [key, value] of older) {
    if (value === null) continue;
    error('mtls', `${key} and user-id-from cannot both be set`, `remove ${key}`, { key });
  }
  const twice = userIdFrom.find((kind, index) => userIdFrom.indexOf(kind) !== index);
  if (twice !== undefined) error('mtls', `user-id-from names "${twice}" twice`, undefined, { key: 'user-id-from' });
};

/** Maximum files with revocation lists. */
export const maximumCrlFiles = 32;

const checkCrlFiles = ({ crlFiles, caCertPath }: MtlsOptions, error: OptionReport): void => {
  if (crlFiles.length === 0) return;
  const report = (message: string, suggestion: string) => error('mtls', message, suggestion, { key: 'crl-file' });
  if (caCertPath === null)
    report('crl-file needs authorities that verify the lists', 'set ca-cert-path, or remove crl-file');
  if (crlFiles.includes('')) report('crl-file: a path is empty', 'name a file');
  const twice = crlFiles.find((path, index) => crlFiles.indexOf(path) !== index);
  if (twice !== undefined) report(`crl-file names "${twice}" twice`, 'remove one of the two');
  if (crlFiles.length > maximumCrlFiles)
    report(`crl-file names more than ${maximumCrlFiles} files`, 'put several PEM lists into one file');
};

/** Checks the `mtls` block except its header; null if it is not enabled. */
export const enabledMtls = (
  mtls: MtlsOptions | undefined,
  error: OptionReport,
  warn: OptionReport,
): MtlsOptions | null => {
  if (mtls === undefined) return null;
  checkList('allowed-dns', mtls.allowedDns, parseDistinguishedName, error);
  checkList('allowed-sans', mtls.allowedSans, parseAllowedSan, error);
  checkUserIdFrom(mtls, error);
  checkCrlFiles(mtls, error);
  if (mtls.userIdFrom.length === 0 && mtls.extractCnAsUser === false && mtls.extractSanEmailAsUser !== true) {
    error(
      'mtls',
      'extract-cn-as-user and extract-san-email-as-user are both #false, so certificates have no user',
      'set one of them to #true, or use user-id-from',
      { key: 'extract-cn-as-user' },
    );
  }
  if (!mtls.enabled) {
    warn('mtls', 'it is disabled, so no client certificate is accepted', 'set enabled to #true', { key: 'enabled' });
    return null;
  }
  if (mtls.caCertPath === null) {
    warn(
      'mtls',
      'ca-cert-path is not set: every certificate in the header is trusted, so only a gateway that verifies it may set the header',
    );
  }
  return mtls;
};
