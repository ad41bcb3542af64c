import { describe, expect, it } from 'vitest';
import { AuthorizeRequest } from '../../../../../../src/application/agent/authorize/authorize-request.js';
import type { Identity } from '../../../../../../src/domain/agent/identity/identity.js';
import { compilePolicies } from '../../../../../../src/domain/agent/policy/evaluate/compile-policies.js';
import { parsePolicies } from '../../../../../../src/domain/agent/policy/parse/parse-policies.js';
import {
  determiningPolicies,
  evaluatedDecision,
  evaluateRequest,
} from '../../../../../../src/domain/agent/policy/test-cases/evaluate-request.js';
import { sketchedAttributes } from '../../../../../../src/domain/agent/policy/test-cases/request-sketch.js';
import { headersEvent } from '../../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const parsed = parsePolicies(
  `permit (principal in Role::"reader", action == Action::"GET", resource);
   forbid (principal, action, resource == Resource::"/secret") unless { context.client_ip.isLoopback() };
   forbid (principal is Anonymous, action, resource) when { resource.host == "inner.example" };`,
  'extended',
);
if (!parsed.ok) throw new Error('the policies are broken');
const compiled = compilePolicies(parsed.value, 'extended');

const token = (claims: Identity['claims']): Identity => ({ method: 'jwt', userId: 'x', claims, certificate: null });
const identities: readonly (Identity | null)[] = [
  null,
  token({ sub: 'alice', roles: 'reader, writer' }),
  token({ sub: 'bob' }),
  token({ roles: ['reader'] }),
  token({ sub: 'carl', roles: ['r'.repeat(300)] }),
  { method: 'api_key', userId: 'reports', claims: null, certificate: null },
];

describe('a sketched request', () => {
  it("gets the agent's decision", () => {
    const claims = { principalClaim: 'sub', rolesClaim: 'roles' };
    let compared = 0;
    for (const onError of ['deny', 'skip'] as const) {
      for (const defaultDecision of ['allow', 'deny'] as const) {
        const rules = { onError, defaultDecision };
        const agent = new AuthorizeRequest({
          policies: compiled,
          policyCount: 3,
          shadow: null,
          rules,
          principal: claims,
          logger: new RecordingLogger(),
          clock: new ManualClock(),
        });
        for (const identity of identities) {
          for (const path of ['/', '/secret']) {
            for (const host of [null, 'Inner.example:8443']) {
              for (const clientIp of [null, '127.0.0.1']) {
                const facts = sketchedAttributes({
                  method: 'GET',
                  path,
                  query: 'a=b',
                  host,
                  clientIp,
                  correlationId: null,
                });
                const judged = evaluateRequest({ identity, attributes: facts }, { claims, rules }, compiled);
                const event = headersEvent('c', { headers: host === null ? [] : ['host', host], uri: facts.uri });
                const told = agent.authorize(
                  { ...event, metadata: { ...event.metadata, clientIp: facts.clientIp } },
                  identity,
                );
                expect([evaluatedDecision(judged), determiningPolicies(judged)]).toEqual([
                  told.decision,
                  told.policies,
                ]);
                compared += 1;
              }
            }
          }
        }
      }
    }
    expect(compared).toBe(192);
  });
});
