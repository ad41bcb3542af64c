import { describe, expect, it } from 'vitest';
import { type AgentAudit, type AgentDecision, emptyAudit } from '../../../../../src/domain/agent-protocol/messages.js';
import { decisionRecord, undecidedRecord } from '../../../../../src/domain/gateway/audit/decision-record.js';

const request = {
  requestId: 'request-1',
  correlationId: 'correlation-1',
  traceId: 'trace-1',
  clientIp: '192.0.2.1',
  method: 'GET',
  path: '/orders/7',
  route: 'api',
};

const told = {
  request_id: 'request-1',
  correlation_id: 'correlation-1',
  trace_id: 'trace-1',
  client_ip: '192.0.2.1',
  http_method: 'GET',
  path: '/orders/7',
  route: 'api',
  agent: 'auth',
};

const decisions = {
  allow: { kind: 'allow' },
  block: { kind: 'block', status: 403, body: null, headers: [] },
  redirect: { kind: 'redirect', url: '/elsewhere', status: 302 },
  challenge: { kind: 'challenge', challengeType: 'Bearer', params: {} },
} as const satisfies Record<AgentDecision['kind'], AgentDecision>;

const record = (audit: Partial<AgentAudit>, decision: AgentDecision['kind'] = 'allow') =>
  decisionRecord(request, 'auth', decisions[decision], { ...emptyAudit, ...audit });

describe('the audit record of an agent’s answer', () => {
  it('is authorization if policies have decided', () => {
    const custom = { subject: 'alice', auth_method: 'jwt' };
    expect(record({ ruleIds: ['clerks'], custom })).toEqual({
      event: 'authorization',
      outcome: 'allowed',
      members: { ...told, subject: 'alice', auth_method: 'jwt', rule_ids: ['clerks'] },
    });
    expect(record({ ruleIds: ['no-night'], reasonCodes: ['denied_by_policy'], custom }, 'block')).toMatchObject({
      event: 'authorization',
      outcome: 'denied',
      members: { reason_codes: ['denied_by_policy'], rule_ids: ['no-night'] },
    });
  });

  it('is authentication if it only names the subject', () => {
    expect(record({ custom: { subject: 'alice', auth_method: 'api_key' } })).toMatchObject({
      event: 'authentication',
      outcome: 'allowed',
    });
  });

  it('is authorization if a known subject is refused without a rule', () => {
    const audit = { reasonCodes: ['default_deny'], custom: { subject: 'alice', auth_method: 'api_key' } };
    expect(record(audit, 'block')).toMatchObject({ event: 'authorization', outcome: 'denied' });
  });

  it('is failed if the agent reports authentication and refuses', () => {
    expect(record({ custom: { event: 'authentication' } }, 'block')).toMatchObject({ outcome: 'failed' });
    expect(record({ custom: { event: 'authentication' } })).toMatchObject({ outcome: 'allowed' });
  });

  it('uses the event that the agent reports', () => {
    const custom = { event: 'token_exchange', outcome: 'issued', client_id: 'desk', audience: 'a b' };
    expect(record({ custom }, 'block')).toEqual({
      event: 'token_exchange',
      outcome: 'issued',
      members: { ...told, client_id: 'desk', audience: 'a b' },
    });
  });

  it.each([
    ['allow', 'allowed'],
    ['block', 'denied'],
    ['redirect', 'redirected'],
    ['challenge', 'challenged'],
  ] as const)('says of an agent that says nothing what it has decided: %s', (decision, outcome) => {
    expect(record({}, decision)).toEqual({ event: 'authorization', outcome, members: told });
  });

  it.each([
    [200, 'answered'],
    [204, 'answered'],
    [302, 'redirected'],
    [401, 'denied'],
    [503, 'denied'],
  ])('uses the status if the agent answers itself: %s', (status, outcome) => {
    const block = { kind: 'block', status, body: null, headers: [] } as const;
    expect(decisionRecord(request, 'auth', block, emptyAudit)).toMatchObject({ outcome });
  });

  it('ignores unknown words of an agent', () => {
    const custom = {
      event: 'gateway',
      outcome: 'started',
      token: 'secret',
      password: 'secret',
      client_ip: '203.0.113.9',
      request_id: 'forged',
      agent: 'another',
    };
    expect(record({ custom })).toEqual({ event: 'authorization', outcome: 'allowed', members: told });
  });

  it('is bounded, whatever the agent sends', () => {
    const many = Array.from({ length: 10_000 }, () => 'x'.repeat(1_000));
    const text = JSON.stringify(record({ reasonCodes: many, ruleIds: many, custom: { subject: 'x'.repeat(100_000) } }));
    expect(text.length).toBeLessThan(6_000);
  });
});

it('the audit record of a missing answer shows the outcome of the request', () => {
  expect(undecidedRecord(request, 'auth', 'timed_out', true)).toEqual({
    event: 'authorization',
    outcome: 'allowed',
    members: { ...told, reason_codes: ['agent_timed_out'], failure_mode: 'open' },
  });
  expect(undecidedRecord(request, 'auth', 'unreachable', false)).toMatchObject({
    outcome: 'denied',
    members: { failure_mode: 'closed' },
  });
});
