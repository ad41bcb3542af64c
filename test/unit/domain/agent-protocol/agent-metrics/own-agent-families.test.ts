import { expect, it } from 'vitest';
import { AgentServiceCounters } from '../../../../../src/application/agent/agent-service/agent-service-counters.js';
import { ownAgentFamilies } from '../../../../../src/domain/agent-protocol/agent-metrics/own-agent-families.js';

it('are what the agent reports in which everything has happened, with their types', () => {
  const counters = new AgentServiceCounters();
  counters.succeeded('jwt', 0.001);
  counters.failed({ method: 'jwt', reason: 'expired' }, 0.001);
  counters.authorized('allow', 'deny');
  counters.completed();
  counters.signedOn();
  counters.refreshedTokens('refreshed');
  counters.exchanged('issued');
  counters.refreshedKeys('success');
  counters.introspected('active');
  const report = counters.report('id', 0, 10_000, {
    sessions: { saml: 1, oidc: 1 },
    certificates: [{ subject: 'CN=idp', expiryMs: 0 }],
  });
  const reported = [
    ...report.counters.map(({ name }) => [name, 'counter']),
    ...report.gauges.map(({ name }) => [name, 'gauge']),
    ...report.histograms.map(({ name }) => [name, 'histogram']),
  ];
  expect([...ownAgentFamilies].sort()).toEqual([...new Map(reported as [string, string][])].sort());
});
