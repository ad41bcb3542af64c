import type { MetricType } from './metric-family.js';

/** Expiry of the certificates for SAML. The gateway also exposes it among its own certificates. */
export const samlCertificateExpiry = 'saml_certificate_expiry_timestamp_seconds';

/** The families of `gateway-auth`. No other agent can use these names with another type. */
export const ownAgentFamilies: ReadonlyMap<string, MetricType> = new Map([
  ['auth_requests_total', 'counter'],
  ['auth_success_total', 'counter'],
  ['auth_failure_total', 'counter'],
  ['auth_duration_seconds', 'histogram'],
  ['authz_decisions_total', 'counter'],
  ['authz_shadow_differences_total', 'counter'],
  ['jwks_refresh_total', 'counter'],
  ['introspections_total', 'counter'],
  ['token_exchanges_total', 'counter'],
  ['saml_sign_ons_total', 'counter'],
  ['oidc_sign_ons_total', 'counter'],
  ['oidc_refreshes_total', 'counter'],
  ['saml_sessions_active', 'gauge'],
  ['sessions_active', 'gauge'],
  [samlCertificateExpiry, 'gauge'],
]);

/** Gauges of a shared resource. Each agent reports the whole, so the largest value applies. */
export const sharedGauges: ReadonlySet<string> = new Set(['saml_sessions_active', 'sessions_active']);

/** Gauges of moments. The earliest one of all agents applies. */
export const earliestGauges: ReadonlySet<string> = new Set([samlCertificateExpiry]);
