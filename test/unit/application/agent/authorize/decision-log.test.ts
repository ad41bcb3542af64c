import { describe, expect, it } from 'vitest';
import { maximumNamedPolicies } from '../../../../../src/application/agent/authorize/authorization-outcome.js';
import { apiKey, authorizedAgent, bearer } from '../../../../support/agent/authorized-agent.js';

describe('the log line of a decision', () => {
  it('names principal, action, resource and policies', async () => {
    const { answer, decisions, logger } = await authorizedAgent('@id("readers") permit(principal, action, resource);');
    await answer({ headers: bearer({ sub: 'tom' }), method: 'PATCH', uri: '/orders/1?x=1', correlationId: 'call-7' });
    expect(decisions()).toEqual([
      {
        decision: 'allow',
        because: 'policies',
        policies: ['readers'],
        principal: 'User::"tom"',
        action: 'PATCH',
        resource: '/orders/1',
        method: 'jwt',
        trace_id: 'call-7',
        correlation_id: 'call-7',
        client_ip: '192.0.2.7',
        route: 'api',
      },
    ]);
    expect(logger.lines.find(({ message }) => message === 'authorization decided')?.level).toBe('info');
  });

  it('is written once per decision', async () => {
    const { answer, decisions } = await authorizedAgent('permit(principal, action == Action::"GET", resource);');
    for (const method of ['GET', 'GET', 'PUT']) await answer({ headers: apiKey, method });
    expect(decisions().map(({ decision, because }) => `${decision} ${because}`)).toEqual([
      'allow policies',
      'allow policies',
      'deny default',
    ]);
  });

  it('contains no query, claim, claim value or credential on any failure', async () => {
    const { answer, logger } = await authorizedAgent({
      'roles-claim': 'groups',
      'policy-inline': `
        permit(principal, action, resource) when { context.claims.email.contains(1) };
        forbid(principal, action, resource) when { context.claims.level + 1 > 3 };
        forbid(principal, action, resource) when { ip(context.claims.address).isLoopback() };
        forbid(principal, action, resource) when { decimal(resource.query) > decimal("1.0") };
        forbid(principal, action, resource) when { context.claims.email };
        permit(principal, action, resource) when { context.roles < 3 };`,
    });
    const headers = bearer({
      sub: 'tom',
      email: 'private@example.com',
      level: 'private-level',
      address: 'private-address',
      groups: ['private-group'],
    });
    await answer({ headers, uri: '/orders?token=private-query' });
    await answer({ headers: [...headers.slice(0, 1), `${headers[1]}x`], uri: '/orders?private-query' });
    const lines = JSON.stringify(logger.lines);
    expect(lines).toContain('type_error');
    expect(lines).not.toContain('private');
    expect(lines).not.toContain(headers[1]?.slice(7));
  });

  it('has bounded policies, errors and client texts', async () => {
    const { answer, decisions } = await authorizedAgent(
      'permit(principal, action, resource); forbid(principal, action, resource) when { context.nothing };'.repeat(50),
    );
    const { audit } = await answer({ headers: apiKey, uri: `/${'x'.repeat(5_000)}` });
    const [line] = decisions();
    expect(audit.ruleIds).toHaveLength(maximumNamedPolicies);
    expect(line?.['policies']).toHaveLength(maximumNamedPolicies);
    expect(line?.['errors']).toHaveLength(5);
    expect(String(line?.['resource']).length).toBeLessThan(1_100);
  });
});
