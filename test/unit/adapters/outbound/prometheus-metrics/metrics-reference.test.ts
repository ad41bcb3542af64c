import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { metricDefinitions } from '../../../../../src/adapters/outbound/prometheus-metrics/metric-definitions.js';
import { agentDefinitions, metricsReference } from '../../../../support/shared/metrics-reference.js';

const page = fileURLToPath(new URL('../../../../../docs/reference/metrics.md', import.meta.url));

it('docs/reference/metrics.md is what the code says (UPDATE_DOCS=1 writes it)', () => {
  if (process.env['UPDATE_DOCS'] === '1') {
    mkdirSync(fileURLToPath(new URL('.', `file://${page}`)), { recursive: true });
    writeFileSync(page, metricsReference());
  }
  expect(readFileSync(page, 'utf8')).toBe(metricsReference());
});

it('no metric loses or changes its name', () => {
  expect(
    Object.values(metricDefinitions)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([
    'gateway_access_log_dropped_total',
    'gateway_active_requests',
    'gateway_agent_connections',
    'gateway_agent_failed_open_total',
    'gateway_agent_failures_total',
    'gateway_agent_in_flight',
    'gateway_agent_latency_seconds',
    'gateway_agent_metrics_dropped_total',
    'gateway_agent_queue_depth',
    'gateway_agent_state',
    'gateway_agent_timeouts_total',
    'gateway_audit_dropped_total',
    'gateway_body_size_exceeded_total',
    'gateway_certificate_expiry_timestamp_seconds',
    'gateway_circuit_breaker_state',
    'gateway_compressions_skipped_total',
    'gateway_config_reloads_total',
    'gateway_connection_limit_reached_total',
    'gateway_connection_pool_exhausted_total',
    'gateway_connection_pool_idle',
    'gateway_connection_pool_size',
    'gateway_connections_active',
    'gateway_descriptors_exhausted_total',
    'gateway_header_size_exceeded_total',
    'gateway_memory_limit_bytes',
    'gateway_memory_limited',
    'gateway_memory_usage_bytes',
    'gateway_mirror_requests_total',
    'gateway_open_connections',
    'gateway_rate_limit_exceeded_total',
    'gateway_rate_limit_store_up',
    'gateway_rate_limiter_keys',
    'gateway_request_duration_seconds',
    'gateway_request_limit_reached_total',
    'gateway_requests_in_flight',
    'gateway_requests_queued',
    'gateway_requests_total',
    'gateway_responses_compressed_total',
    'gateway_target_drained',
    'gateway_target_healthy',
    'gateway_upstream_attempts_total',
    'gateway_upstream_failures_total',
    'gateway_upstream_healthy',
    'gateway_upstream_retries_refused_total',
    'gateway_upstream_retries_total',
    'gateway_worker_connections',
    'gateway_worker_event_loop_delay_seconds',
    'gateway_worker_memory_usage_bytes',
    'gateway_worker_requests_in_flight',
    'gateway_worker_restarts_total',
    'gateway_worker_up',
  ]);
});

it('no metric of the agent loses or changes its name or its labels', () => {
  expect(agentDefinitions().map(({ name, labels }) => [name, ...labels].join(' '))).toEqual([
    'gateway_agent_auth_requests_total agent',
    'gateway_agent_auth_success_total agent method',
    'gateway_agent_auth_failure_total agent method reason',
    'gateway_agent_jwks_refresh_total agent result',
    'gateway_agent_introspections_total agent result',
    'gateway_agent_authz_decisions_total agent decision',
    'gateway_agent_authz_shadow_differences_total agent enforced shadow',
    'gateway_agent_saml_sign_ons_total agent result',
    'gateway_agent_oidc_sign_ons_total agent result',
    'gateway_agent_oidc_refreshes_total agent result',
    'gateway_agent_token_exchanges_total agent result',
    'gateway_agent_saml_sessions_active agent',
    'gateway_agent_sessions_active agent method',
    'gateway_agent_saml_certificate_expiry_timestamp_seconds agent subject',
    'gateway_agent_auth_duration_seconds agent',
  ]);
});
