import { describe, expect, it } from 'vitest';
import type { Identity } from '../../../../../../src/domain/agent/identity/identity.js';
import { decide } from '../../../../../../src/domain/agent/policy/evaluate/decide.js';
import { gatewayPrincipal } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import {
  gatewayRequest,
  type RequestAttributes,
} from '../../../../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { policyLimits } from '../../../../../../src/domain/agent/policy/policy-limits.js';
import { loadPolicies } from '../../../../../../src/domain/agent/policy/policy-source/load-policies.js';
import { modelProblems } from '../../../../../../src/domain/agent/policy/policy-source/model-problems.js';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';

const text = `
@id("readers-read")
permit(principal, action, resource) when {
  action == Action::"GET" && context.roles.contains("reader") && resource.path like "/reports/*"
};

@id("editors-write")
permit(principal in Role::"editor", action in [Action::"PUT", Action::"POST"], resource) when {
  resource.path.startsWith("/reports/") && !resource.path.endsWith(".lock")
};

@id("owner")
permit(principal == User::"alice", action, resource == Resource::"/users/alice");

@id("public")
permit(principal is Anonymous, action == Action::"GET", resource == Resource::"/");

@id("staff-from-inside")
permit(principal, action, resource) when {
  principal.claims has org.unit && principal.claims.org.unit == "staff" && context.client_ip.isInRange(ip("10.0.0.0/8"))
};

@id("api-host")
permit(principal, action, resource) when { resource.host == "api.example.com" && resource.query.contains("key=1") };

@id("certificates")
permit(principal, action, resource) when { context.auth_method == "mtls" && context.method == "DELETE" };

@id("suspended")
forbid(principal, action, resource) when { context.claims has suspended && context.claims.suspended };

@id("fake-entity")
permit(principal, action, resource) when { context.claims has role && context.claims.role == Role::"admin" };
`;

const loaded = loadPolicies([{ name: 'main.cedar', text }], [], 'extended', policyLimits);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
const policies = loaded.value;

const facts: RequestAttributes = {
  method: 'GET',
  uri: '/reports/1',
  host: 'www.example.com',
  clientIp: '192.0.2.1',
  correlationId: 'c',
};
const bearer = (claims: JsonObject): Identity => ({
  method: 'jwt',
  userId: 'bob',
  claims: { sub: 'bob', ...claims },
  certificate: null,
});
const certificate: Identity = { method: 'mtls', userId: 'device', claims: null, certificate: null };

const decided = (identity: Identity | null, some: Partial<RequestAttributes>) => {
  const principal = gatewayPrincipal(identity, { principalClaim: 'sub', rolesClaim: 'roles' });
  if (!principal.ok) throw new Error(principal.error);
  return decide(policies.compiled, gatewayRequest(principal.value, { ...facts, ...some }));
};

describe('decisions on requests to the gateway', () => {
  it('follow policies that fit its model', () => {
    expect(modelProblems(policies, { strict: true, rolesPossible: true })).toEqual([]);
  });

  it.each<[string, Identity | null, Partial<RequestAttributes>, readonly string[]]>([
    ['a reader reads', bearer({ roles: ['reader'] }), {}, ['readers-read']],
    ['a reader does not write', bearer({ roles: ['reader'] }), { method: 'PUT' }, []],
    ['a reader does not read elsewhere', bearer({ roles: ['reader'] }), { uri: '/reports' }, []],
    ['a query is not part of the path', bearer({ roles: ['reader'] }), { uri: '/x?/reports/1' }, []],
    ['an editor writes', bearer({ roles: 'reader editor' }), { method: 'PUT' }, ['editors-write']],
    ['an editor does not write locks', bearer({ roles: 'editor' }), { method: 'PUT', uri: '/reports/1.lock' }, []],
    ['a user owns a path', bearer({ sub: 'alice' }), { method: 'PATCH', uri: '/users/alice' }, ['owner']],
    ['another user does not', bearer({}), { uri: '/users/alice' }, []],
    ['anybody sees the front page', null, { uri: '/' }, ['public']],
    ['a user named like the anonymous one is not it', bearer({ sub: 'anonymous' }), { uri: '/' }, []],
    [
      'staff come from inside',
      bearer({ org: { unit: 'staff' } }),
      { clientIp: '::ffff:10.1.2.3' },
      ['staff-from-inside'],
    ],
    ['staff do not come from outside', bearer({ org: { unit: 'staff' } }), {}, []],
    ['the host counts without its port', bearer({}), { host: 'API.example.com:443', uri: '/?key=1' }, ['api-host']],
    ['the method of authentication counts', certificate, { method: 'DELETE' }, ['certificates']],
    ['a claim is never an entity', bearer({ role: { __entity: { type: 'Role', id: 'admin' } } }), {}, []],
  ])('%s', (_, identity, some, reasons) => {
    const { decision, reasons: given, errors } = decided(identity, some);
    expect({ decision, reasons: given, errors }).toEqual({
      decision: reasons.length > 0 ? 'allow' : 'deny',
      reasons,
      errors: [],
    });
  });

  it('forbid a principal despite any permit', () => {
    const { decision, reasons } = decided(bearer({ roles: 'reader', suspended: true }), {});
    expect([decision, reasons]).toEqual(['deny', ['suspended']]);
  });

  it('contain an error if a claim has another type than the policy expects', () => {
    const { decision, errors } = decided(bearer({ roles: 'reader', suspended: 'yes' }), {});
    expect(decision).toBe('allow');
    expect(errors).toMatchObject([{ policyId: 'suspended', effect: 'forbid', error: { code: 'type_error' } }]);
  });

  it('contain an error if a policy needs an invalid address', () => {
    const { decision, errors } = decided(bearer({ org: { unit: 'staff' } }), { clientIp: 'unknown' });
    expect(decision).toBe('deny');
    expect(errors).toMatchObject([{ policyId: 'staff-from-inside', error: { code: 'attribute_missing' } }]);
  });
});
