import type { OidcProviderOptions } from '../agent-configuration.js';
import { keySetUrlFault } from './key-set-url.js';
import type { OptionReport } from './option-report.js';

/** How messages call a provider: by its name, else by its number. */
export const providerLabel = ({ name }: OidcProviderOptions, index: number): string =>
  name === null ? `provider ${index + 1}` : `provider "${name}"`;

const checkUrl = (
  provider: OidcProviderOptions,
  block: number,
  label: string,
  error: OptionReport,
  warn: OptionReport,
): void => {
  const fault = keySetUrlFault(provider.jwksUrl);
  if (fault === null) return;
  // The place of the block shows nothing of the URL.
  const place = fault.secret ? { block } : { block, key: 'jwks-url' };
  (fault.severity === 'error' ? error : warn)(
    'oidc',
    `${label}: jwks-url ${fault.message}`,
    undefined,
    place,
    fault.id,
  );
};

/** Checks the `oidc` blocks and gives those that are enabled. */
export const enabledProviders = (
  providers: readonly OidcProviderOptions[],
  error: OptionReport,
  warn: OptionReport,
): readonly OidcProviderOptions[] => {
  const issuers = new Map<string, string>();
  const names = new Set<string>();
  providers.forEach((provider, block) => {
    const label = providerLabel(provider, block);
    if (provider.name !== null && names.has(provider.name)) {
      error('oidc', `${label}: an earlier block has that name already`, undefined, { block, key: 'name' });
    }
    if (provider.name !== null) names.add(provider.name);
    checkUrl(provider, block, label, error, warn);
    if (!provider.enabled) {
      warn('oidc', `${label} is not enabled: none of its tokens is accepted`, 'set enabled to #true', {
        block,
        key: 'enabled',
      });
      return;
    }
    const other = issuers.get(provider.issuer);
    if (other === undefined) issuers.set(provider.issuer, label);
    else error('oidc', `${label}: ${other} has the same issuer`, undefined, { block, key: 'issuer' });
    if (provider.audience === null) {
      const message = `${label} has no audience: every token of the issuer is accepted, whoever it was issued for`;
      const place = { block, key: 'issuer' };
      warn('oidc', message, 'set audience to what the provider calls this API', place, 'token-audience-unchecked');
    }
  });
  return providers.filter(({ enabled }) => enabled);
};
