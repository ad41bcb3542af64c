import type { OptionPlace } from '../../configuration/agent-option-problem.js';
import { canonicalName } from '../../http/canonical-name.js';
import type { OidcProviderOptions } from './agent-configuration.js';

/** A header whose value is a credential, and the option that names it. */
export interface SecretHeader {
  readonly option: 'api-key-header' | 'oidc';
  readonly name: string;
  /** The key of an `oidc` block, and the number of the block among the given ones. */
  readonly place?: OptionPlace & { readonly block: number; readonly key: 'token-header' };
}

interface SecretHeaderOptions {
  readonly apiKeyHeader?: string | null;
  readonly oidc?: readonly Pick<OidcProviderOptions, 'enabled' | 'tokenHeader'>[];
}

/**
 * The headers that carry credentials, besides Authorization and client certificates. The agent removes them from
 * forwarded requests, and a request with one is no browser navigation.
 */
export const secretHeaders = ({ apiKeyHeader: name, oidc = [] }: SecretHeaderOptions): readonly SecretHeader[] => {
  const headers: SecretHeader[] = name === null || name === undefined ? [] : [{ option: 'api-key-header', name }];
  const seen = new Set<string>();
  oidc.forEach(({ enabled, tokenHeader }, block) => {
    if (!enabled || tokenHeader === null || seen.has(canonicalName(tokenHeader))) return;
    // Several providers may read one header.
    seen.add(canonicalName(tokenHeader));
    headers.push({ option: 'oidc', name: tokenHeader, place: { block, key: 'token-header' } });
  });
  return headers;
};

/** The cookies that carry tokens of providers. */
export const tokenCookies = (providers: readonly Pick<OidcProviderOptions, 'tokenCookie'>[]): ReadonlySet<string> =>
  new Set(providers.flatMap(({ tokenCookie }) => tokenCookie ?? []));
