import { parseAllowedSan } from '../../client-certificates/allowed-san.js';
import { parseDistinguishedName } from '../../client-certificates/distinguished-name.js';
import type { Result } from '../../shared/result.js';
import type { MtlsOptions } from '../agent-configuration.js';
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

/** Checks the `mtls` block, but for its header; null where it is not enabled. */
export const enabledMtls = (
  mtls: MtlsOptions | undefined,
  error: OptionReport,
  warn: OptionReport,
): MtlsOptions | null => {
  if (mtls === undefined) return null;
  checkList('allowed-dns', mtls.allowedDns, parseDistinguishedName, error);
  checkList('allowed-sans', mtls.allowedSans, parseAllowedSan, error);
  if (!mtls.extractCnAsUser && !mtls.extractSanEmailAsUser) {
    error(
      'mtls',
      'extract-cn-as-user and extract-san-email-as-user are both #false: a certificate would name no user',
      'set one of them to #true',
      { key: 'extract-cn-as-user' },
    );
  }
  if (!mtls.enabled) {
    warn('mtls', 'it is not enabled: no client certificate is accepted', 'set enabled to #true', { key: 'enabled' });
    return null;
  }
  if (mtls.caCertPath === null) {
    warn(
      'mtls',
      'ca-cert-path is not given: every certificate in the header is believed, so nobody but a gateway that has verified it may be able to set the header',
    );
  }
  return mtls;
};
