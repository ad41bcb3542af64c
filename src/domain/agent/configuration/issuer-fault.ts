/** The placeholder for a tenant id in `issuer` and `jwks-url`. */
export const tenantPlaceholder = '{tenantid}';

/** First path segments at Microsoft's hosts for many tenants: tokens never name them as issuer. */
const sharedTenants = ['common', 'organizations', 'consumers'];

/** Every cloud: `.com`, `.us`, `.de`, and `login.partner.microsoftonline.cn`. */
const isMicrosoftHost = (host: string): boolean => /^login\.(?:partner\.)?microsoftonline\.[a-z.]+$/i.test(host);

/** Why no token can have this issuer, even with a tenant id in place of the placeholder; null if one can. */
export const issuerFault = (issuer: string): string | null => {
  if (issuer.includes('*')) return 'issuer contains "*", but the claim iss is compared exactly';
  const place = /^https?:\/\/([^/?#:]*)(?::\d*)?\/([^/?#]*)/i.exec(issuer);
  if (place === null || !isMicrosoftHost(place[1] ?? '')) return null;
  const segment = sharedTenants.find((shared) => shared === place[2]?.toLowerCase());
  return segment === undefined
    ? null
    : `issuer names "${segment}", which stands for many tenants; tokens name a single tenant`;
};
