import type { OidcProviderOptions } from './agent-configuration.js';

/** Stands for the id of a tenant in `issuer` and `jwks-url`. */
export const tenantPlaceholder = '{tenantid}';

/** First path segments at Microsoft's hosts that stand for many tenants: tokens never name them as their issuer. */
const sharedTenants = ['common', 'organizations', 'consumers'];

const isMicrosoftHost = (host: string): boolean => /^login\.microsoftonline\.[a-z.]+$/i.test(host);

/** An issuer that no token can name, with what to write. */
export interface IssuerFault {
  readonly message: string;
  readonly suggestion: string;
}

const useTenants = 'write {tenantid} in its place, and list the ids of the tenants in "tenants"';

/** Why no token can have this issuer, or none may; null where one can. */
export const issuerFault = ({ issuer, tenants, jwksUrl }: OidcProviderOptions): IssuerFault | null => {
  if (issuer.includes('*')) {
    return { message: 'issuer holds a "*", but the claim iss is compared to the letter', suggestion: useTenants };
  }
  const place = /^https?:\/\/([^/?#:]*)(?::\d*)?\/([^/?#]*)/i.exec(issuer);
  if (place !== null && isMicrosoftHost(place[1] ?? '')) {
    const segment = sharedTenants.find((shared) => shared === place[2]?.toLowerCase());
    if (segment !== undefined) {
      return {
        message: `issuer names "${segment}", which stands for many tenants: tokens name their own`,
        suggestion: useTenants,
      };
    }
  }
  const hasPlaceholder = issuer.includes(tenantPlaceholder);
  if (hasPlaceholder && tenants.length === 0) {
    return { message: 'issuer holds {tenantid}, but "tenants" lists none', suggestion: 'add tenants "id1" "id2"' };
  }
  if (tenants.length > 0 && !hasPlaceholder) {
    return {
      message: '"tenants" has no effect: issuer holds no {tenantid}',
      suggestion: 'write {tenantid} in issuer where the id of the tenant stands',
    };
  }
  if (tenants.length === 0 && jwksUrl?.includes(tenantPlaceholder)) {
    return { message: 'jwks-url holds {tenantid}, but "tenants" lists none', suggestion: 'add tenants "id1" "id2"' };
  }
  return null;
};

const withTenant = (text: string, tenant: string): string => text.replaceAll(tenantPlaceholder, tenant);

/** One provider for each tenant, with its issuer and keys; a provider without tenants as it is. */
export const providersOfTenants = (provider: OidcProviderOptions): readonly OidcProviderOptions[] =>
  provider.tenants.length === 0
    ? [provider]
    : [...new Set(provider.tenants)].map((tenant) => ({
        ...provider,
        name: provider.name === null ? null : `${provider.name}/${tenant}`,
        issuer: withTenant(provider.issuer, tenant),
        tenants: [],
        jwksUrl: provider.jwksUrl === null ? null : withTenant(provider.jwksUrl, tenant),
      }));
