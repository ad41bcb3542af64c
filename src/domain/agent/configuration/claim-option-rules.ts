import { canonicalName } from '../../http/canonical-name.js';
import { maximumIdentityHeaders } from '../identity/bounded-headers.js';
import type { JwtOptions, OidcProviderOptions } from './agent-configuration.js';
import type { AgentOptions } from './agent-options-schema.js';
import type { OidcLoginOptions } from './oidc-login-options.js';
import type { OptionReport } from './option-report.js';
import type { MappedAttribute, SamlOptions } from './saml-options.js';

/** Maximum names in `forward-claims`. */
const maximumForwarded = 100;
/** Maximum mapped headers: user id and method use two of the identity headers. */
const maximumMapped = maximumIdentityHeaders - 2;

/** The methods whose credentials have claims. */
interface MethodsWithClaims {
  readonly jwt: JwtOptions | null;
  readonly oidc: readonly OidcProviderOptions[];
  readonly oidcLogins: readonly OidcLoginOptions[];
  readonly saml: SamlOptions | null;
}

/** The claims that become headers, for every method. */
export interface ClaimOptions {
  readonly forwardClaims: readonly string[] | null;
  readonly claimMapping: readonly MappedAttribute[];
}

/** Checks `forward-claims` and `claim-mapping`; `agent-option-rules.ts` checks the names of the headers. */
export const claimOptions = (
  options: Pick<AgentOptions, 'forwardClaims' | 'claimMapping'>,
  { jwt, oidc, oidcLogins, saml }: MethodsWithClaims,
  error: OptionReport,
  warning: OptionReport,
): ClaimOptions => {
  const { claimMapping = [] } = options;
  const forwardClaims = options.forwardClaims ?? null;
  const statesClaims = jwt !== null || oidc.length + oidcLogins.length > 0;
  if (forwardClaims !== null && forwardClaims.length > maximumForwarded) {
    error('forward-claims', `forward-claims has more than ${maximumForwarded} names`);
  }
  if (claimMapping.length > maximumMapped) {
    error('claim-mapping', `claim-mapping has more than ${maximumMapped} headers`);
  }
  if (forwardClaims !== null && !statesClaims) {
    const methods = 'set jwt-secret or jwt-public-key, or add an oidc or oidc-login block';
    warning('forward-claims', 'it has no effect without a method whose tokens have claims', methods);
  }
  if (claimMapping.length > 0 && !statesClaims && saml === null) {
    const methods = 'set jwt-secret or jwt-public-key, or add an oidc, oidc-login or saml block';
    warning('claim-mapping', 'it has no effect without a method whose credentials have claims', methods);
  }
  return { forwardClaims, claimMapping };
};

/** The mapping of one way to sign on, and the common one without the headers that the former sets. */
export const withCommonMapping = (
  own: readonly MappedAttribute[],
  common: readonly MappedAttribute[],
): readonly MappedAttribute[] => {
  if (common.length === 0) return own;
  const taken = new Set(own.map(({ header }) => canonicalName(header)));
  return [...own, ...common.filter(({ header }) => !taken.has(canonicalName(header)))];
};
