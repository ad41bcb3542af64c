import { describe, expect, it } from 'vitest';
import {
  AgentServiceCounters,
  LabelledCounter,
} from '../../../../../src/application/agent/agent-service/agent-service-counters.js';

describe('LabelledCounter', () => {
  it('has a series for each kind that occurred, and for no other', () => {
    const counter = new LabelledCounter<'good' | 'bad'>('things_total', 'Things', (kind) => ({ kind }));
    expect(counter.values()).toEqual([]);
    counter.add('bad');
    counter.add('good');
    counter.add('bad');
    expect(counter.values()).toEqual([
      { name: 'things_total', help: 'Things', labels: { kind: 'bad' }, value: 2 },
      { name: 'things_total', help: 'Things', labels: { kind: 'good' }, value: 1 },
    ]);
  });
});

describe('the counters of an agent', () => {
  it('keep each kind in its own series, with its labels', () => {
    const counters = new AgentServiceCounters();
    counters.succeeded('jwt', 0.001);
    counters.failed({ method: 'oidc', reason: 'expired' }, 0.001);
    counters.failed({ method: 'oidc', reason: 'expired' }, 0.001);
    counters.failed({ method: null, reason: 'missing_credentials' }, 0.001);
    counters.authorized('allow', 'deny');
    counters.authorized('deny', null);
    counters.completed();
    counters.refused('unknown_request');
    counters.exchanged('issued');
    counters.exchanged('scope_not_allowed');
    counters.refreshedKeys('success');
    const series = counters.report('auth', 0, 0).counters.map(({ name, labels, value }) => [name, labels, value]);
    expect(series).toEqual([
      ['auth_requests_total', {}, 4],
      ['auth_success_total', { method: 'jwt' }, 1],
      ['auth_failure_total', { method: 'oidc', reason: 'expired' }, 2],
      ['auth_failure_total', { method: 'none', reason: 'missing_credentials' }, 1],
      ['jwks_refresh_total', { result: 'success' }, 1],
      ['authz_decisions_total', { decision: 'allow' }, 1],
      ['authz_decisions_total', { decision: 'deny' }, 1],
      ['authz_shadow_differences_total', { enforced: 'allow', shadow: 'deny' }, 1],
      ['saml_sign_ons_total', { result: 'completed' }, 1],
      ['saml_sign_ons_total', { result: 'unknown_request' }, 1],
      ['token_exchanges_total', { result: 'issued' }, 1],
      ['token_exchanges_total', { result: 'scope_not_allowed' }, 1],
    ]);
  });
});
