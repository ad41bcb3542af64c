import { webUrlFault } from '../../configuration/schema/web-url.js';
import type { OidcProviderOptions } from './agent-configuration.js';
import type { IdentityTokenOptions } from './identity-token-block.js';
import type { OptionReport } from './option-report.js';
import type { TokenExchangeOptions } from './token-exchange-options.js';

const maximumKeyFiles = 16;

const risk = 'an attacker on the network can replace the keys with which upstreams verify tokens';

/** The other issuers of an agent. */
interface OtherIssuers {
  readonly oidc: readonly OidcProviderOptions[];
  readonly tokenExchange: TokenExchangeOptions | null;
}

const checkIssuer = (
  { issuer }: IdentityTokenOptions,
  { oidc, tokenExchange }: OtherIssuers,
  error: OptionReport,
  warning: OptionReport,
): void => {
  const fault = webUrlFault(issuer, risk);
  const place = fault?.secret === true ? ({ key: 'issuer', isConcealed: true } as const) : { key: 'issuer' };
  if (fault !== null) {
    const report = fault.severity === 'error' ? error : warning;
    report('identity-token', `issuer ${fault.message}`, undefined, place, fault.id);
  }
  if (fault?.severity === 'error') return;
  if (issuer.includes('?')) {
    error('identity-token', 'issuer must not contain a query', undefined, { key: 'issuer', isConcealed: true });
    return;
  }
  const separate = 'use a separate issuer, such as a path of its own';
  if (tokenExchange?.issuer === issuer) {
    const message = 'issuer is also that of token-exchange: a service could take an identity token for an access token';
    warning('identity-token', message, separate, { key: 'issuer' });
  }
  if (oidc.some((provider) => provider.issuer === issuer)) {
    const message =
      'issuer is also that of a provider in oidc: a service could take an identity token for one of its tokens';
    warning('identity-token', message, separate, { key: 'issuer' });
  }
};

const checkKeyFiles = ({ signingKeyFiles }: IdentityTokenOptions, error: OptionReport): void => {
  const place = { key: 'signing-key-file' };
  if (signingKeyFiles.length === 0) {
    const suggestion = 'make one: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256';
    error('identity-token', 'signing-key-file is missing', suggestion, place);
  }
  if (signingKeyFiles.length > maximumKeyFiles) {
    error('identity-token', `signing-key-file has more than ${maximumKeyFiles} values`, undefined, place);
  }
  const twice = signingKeyFiles.find((path, index) => signingKeyFiles.indexOf(path) !== index);
  if (twice !== undefined) error('identity-token', `signing-key-file contains ${twice} twice`, undefined, place);
};

/** Checks the `identity-token` block, except its header and its path; null if there is none. */
export const checkedIdentityToken = (
  block: IdentityTokenOptions | undefined,
  others: OtherIssuers,
  error: OptionReport,
  warning: OptionReport,
): IdentityTokenOptions | null => {
  if (block === undefined) return null;
  checkIssuer(block, others, error, warning);
  checkKeyFiles(block, error);
  return block;
};
