import { webUrlFault } from '../../configuration/schema/web-url.js';
import type { OidcProviderOptions } from './agent-configuration.js';
import { issuerFault, tenantPlaceholder } from './issuer-fault.js';
import { keySetUrlFault } from './key-set-url.js';
import type { OptionReport } from './option-report.js';
import type { SignOnSessionOptions } from './sessions-options.js';

/** An issuer that no token can have, and how to fix it. */
interface IssuerFault {
  readonly message: string;
  readonly suggestion: string;
}

const useTenants = 'replace it by {tenantid}, and list the tenant ids in "tenants"';

/** Why no token can have this issuer, or its tenants have no effect; null if neither. */
const tenantFault = ({ issuer, tenants, jwksUrl }: OidcProviderOptions): IssuerFault | null => {
  const message = issuerFault(issuer);
  if (message !== null) return { message, suggestion: useTenants };
  const hasPlaceholder = issuer.includes(tenantPlaceholder);
  if (hasPlaceholder && tenants.length === 0) {
    return { message: 'issuer contains {tenantid}, but "tenants" lists none', suggestion: 'add tenants "id1" "id2"' };
  }
  if (tenants.length > 0 && !hasPlaceholder) {
    return {
      message: '"tenants" has no effect: issuer does not contain {tenantid}',
      suggestion: 'write {tenantid} in issuer in place of the tenant id',
    };
  }
  if (tenants.length === 0 && jwksUrl?.includes(tenantPlaceholder)) {
    return { message: 'jwks-url contains {tenantid}, but "tenants" lists none', suggestion: 'add tenants "id1" "id2"' };
  }
  return null;
};

const withTenant = (text: string, tenant: string): string => text.replaceAll(tenantPlaceholder, tenant);

/** A provider per tenant, with its issuer and keys; a provider without tenants is unchanged. */
const providersOfTenants = (provider: OidcProviderOptions): readonly OidcProviderOptions[] =>
  provider.tenants.length === 0
    ? [provider]
    : [...new Set(provider.tenants)].map((tenant) => ({
        ...provider,
        name: provider.name === null ? null : `${provider.name}/${tenant}`,
        issuer: withTenant(provider.issuer, tenant),
        tenants: [],
        jwksUrl: provider.jwksUrl === null ? null : withTenant(provider.jwksUrl, tenant),
      }));

/** The name of a provider in messages, or its number. */
export const providerLabel = ({ name }: Pick<OidcProviderOptions, 'name'>, index: number): string =>
  name === null ? `provider ${index + 1}` : `provider "${name}"`;

const checkUrl = (
  provider: OidcProviderOptions,
  block: number,
  label: string,
  error: OptionReport,
  warn: OptionReport,
): void => {
  const { jwksUrl } = provider;
  // A placeholder is checked with an example value.
  const url = (jwksUrl ?? provider.issuer).replaceAll(tenantPlaceholder, 'tenant');
  const found = keySetUrlFault(url);
  if (found === null) return;
  if (jwksUrl === null) {
    const message = `${label}: issuer ${found.message}, so discovery cannot find its keys`;
    error(
      'oidc',
      message,
      'use an https URL as issuer, or set jwks-url',
      found.secret ? { block } : { block, key: 'issuer' },
    );
    return;
  }
  const fault = found;
  // The position of the block reveals nothing of the URL.
  const place = fault.secret ? { block } : { block, key: 'jwks-url' };
  (fault.severity === 'error' ? error : warn)(
    'oidc',
    `${label}: jwks-url ${fault.message}`,
    undefined,
    place,
    fault.id,
  );
};

/** Refuses a token cookie that is the session cookie: one cookie cannot carry both. */
export const checkTokenCookies = (
  providers: readonly OidcProviderOptions[],
  sessions: Pick<SignOnSessionOptions, 'cookie'> | null,
  error: OptionReport,
): void => {
  if (sessions === null) return;
  const { name, formerNames } = sessions.cookie;
  providers.forEach(({ enabled, tokenCookie, ...provider }, block) => {
    if (!enabled || tokenCookie === null || ![name, ...formerNames].includes(tokenCookie)) return;
    const message = `${providerLabel(provider, block)}: token-cookie is the name of the session cookie`;
    error('oidc', message, 'use another cookie', { block, key: 'token-cookie' });
  });
};

/** Checks the `introspection` blocks: at most one, without tenants, over https. Messages never show their lines. */
const checkIntrospection = (providers: readonly OidcProviderOptions[], error: OptionReport): void => {
  let first: string | null = null;
  providers.forEach((provider, block) => {
    const { introspection, tenants, enabled } = provider;
    if (introspection === null) return;
    const label = `${providerLabel(provider, block)}: introspection`;
    const place = { block, key: 'introspection', isConcealed: true } as const;
    const fault = webUrlFault(introspection.url, tokenRisk);
    if (fault !== null) error('oidc', `${label}: url ${fault.message}`, 'write an https URL', place);
    if (tenants.length > 0) error('oidc', `${label} cannot be used with tenants`, 'use a block of its own', place);
    if (!enabled) return;
    if (first !== null) error('oidc', `${label} is already in ${first}`, 'keep one of the two', place);
    first ??= providerLabel(provider, block);
  });
};

/** The risk of introspection over HTTP. */
const tokenRisk = 'an attacker on the network can read tokens and the client secret, and forge answers';

/** Maximum tenants per block: each has a key set to refresh. */
const maximumTenants = 100;

/** Checks the `oidc` blocks, and returns the enabled ones, one provider per tenant. */
export const enabledProviders = (
  providers: readonly OidcProviderOptions[],
  error: OptionReport,
  warn: OptionReport,
): readonly OidcProviderOptions[] => {
  checkIntrospection(providers, error);
  const issuers = new Map<string, string>();
  const names = new Set<string>();
  providers.forEach((provider, block) => {
    const label = providerLabel(provider, block);
    if (provider.name !== null && names.has(provider.name)) {
      error('oidc', `${label}: an earlier block already has that name`, undefined, { block, key: 'name' });
    }
    if (provider.name !== null) names.add(provider.name);
    checkUrl(provider, block, label, error, warn);
    if (!provider.enabled) {
      warn('oidc', `${label} is disabled, so none of its tokens is accepted`, 'set enabled to #true', {
        block,
        key: 'enabled',
      });
      return;
    }
    const unfit = tenantFault(provider);
    if (unfit !== null) error('oidc', `${label}: ${unfit.message}`, unfit.suggestion, { block, key: 'issuer' });
    if (provider.tenants.length > maximumTenants) {
      error('oidc', `${label}: tenants lists more than ${maximumTenants}`, undefined, { block, key: 'tenants' });
    }
    for (const { issuer } of providersOfTenants(provider)) {
      const other = issuers.get(issuer);
      if (other === undefined) issuers.set(issuer, label);
      else error('oidc', `${label}: ${other} has the same issuer`, undefined, { block, key: 'issuer' });
    }
    if (provider.audiences.length === 0) {
      const message = `${label} has no audience: every token of the issuer is accepted, even if issued for another API`;
      const place = { block, key: 'issuer' };
      warn('oidc', message, 'set audience to what the provider calls this API', place, 'token-audience-unchecked');
    }
  });
  return providers.filter(({ enabled }) => enabled).flatMap(providersOfTenants);
};
