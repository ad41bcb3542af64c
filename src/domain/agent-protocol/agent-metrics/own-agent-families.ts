import type { MetricType } from './metric-family.js';

/** The families of `gateway-auth`. No other agent can use these names with another type. */
export const ownAgentFamilies: ReadonlyMap<string, MetricType> = new Map([
  ['auth_requests_total', 'counter'],
  ['auth_success_total', 'counter'],
  ['auth_failure_total', 'counter'],
  ['auth_duration_seconds', 'histogram'],
  ['authz_decisions_total', 'counter'],
  ['authz_shadow_differences_total', 'counter'],
  ['jwks_refresh_total', 'counter'],
  ['token_exchanges_total', 'counter'],
  ['saml_sign_ons_total', 'counter'],
  ['saml_sessions_active', 'gauge'],
]);

/** Gauges of a shared resource. Each agent reports the whole, so the largest value applies. */
export const sharedGauges: ReadonlySet<string> = new Set(['saml_sessions_active']);
