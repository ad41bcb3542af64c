import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../../../src/domain/agent/policy/evaluate/decide.js';
import { gatewayPrincipal } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { policyLimits } from '../../../../../../src/domain/agent/policy/policy-limits.js';
import { loadPolicies } from '../../../../../../src/domain/agent/policy/policy-source/load-policies.js';
import { modelFindings } from '../../../../../support/agent/model-findings.js';

const made = gatewayPrincipal(
  { method: 'jwt', userId: 'ann', claims: { sub: 'ann', roles: 'reader' }, certificate: null },
  { principalClaim: 'sub', rolesClaim: 'roles' },
);
if (!made.ok) throw new Error(made.error);
const request = gatewayRequest(made.value, {
  method: 'GET',
  uri: '/reports?a=1',
  host: 'api.example.com',
  clientIp: '192.0.2.1',
  correlationId: 'c',
});

const any = (...choices: readonly string[]) => fc.constantFrom(...choices);

/** Anything in the place of anything: most of it is of the wrong type. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const part = tie('expression');
  return {
    expression: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      any(
        'principal',
        'action',
        'resource',
        'context',
        'principal.id',
        'principal.roles',
        'resource.path',
        'true',
        '1',
      ),
      any('context.client_ip', '"a"', '["a"]', '[1]', '[]', '{ a: 1 }', 'User::"ann"', 'Role::"reader"'),
      any('ip("10.0.0.1")', 'decimal("1.0")', 'datetime("2026-01-01")', 'duration("1h")'),
      fc
        .tuple(part, any('==', '!=', '<', '>=', '+', '*', '&&', '||', 'in'), part)
        .map(([a, o, b]) => `(${a} ${o} ${b})`),
      fc
        .tuple(part, any('contains', 'containsAll', 'startsWith', 'lessThan', 'isInRange', 'offset'), part)
        .map(([a, name, b]) => `(${a}).${name}(${b})`),
      fc.tuple(part, any('isEmpty', 'isIpv4', 'toDate', 'toTime', 'toHours')).map(([a, name]) => `(${a}).${name}()`),
      part.map((a) => `!(${a})`),
      part.map((a) => `-(${a})`),
      part.map((a) => `[${a}]`),
      part.map((a) => `(${a} like "a*")`),
      part.map((a) => `(${a} is User)`),
      fc.tuple(part, part).map(([a, b]) => `(if ${a} then ${b} else ${b})`),
    ),
  };
});

const errorsOf = (text: string): readonly string[] => {
  const loaded = loadPolicies([{ name: 'a.cedar', text }], [], 'extended', policyLimits);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return decide(loaded.value.compiled, request).errors.map(({ error }) => error.code);
};

describe('a policy that reads no claims', () => {
  it('has a type error only if the check found something', () => {
    let failed = 0;
    let quiet = 0;
    fc.assert(
      fc.property(expression, fc.boolean(), (part, isWhole) => {
        const condition = isWhole ? part : `[${part}].isEmpty()`;
        const text = `permit(principal, action, resource) when { ${condition} };`;
        const found = modelFindings(text).length > 0;
        const fails = errorsOf(text).includes('type_error');
        if (fails) failed += 1;
        if (!found) quiet += 1;
        expect(fails && !found).toBe(false);
      }),
      { numRuns: 3000 },
    );
    expect(failed).toBeGreaterThan(300);
    expect(quiet).toBeGreaterThan(100);
  });
});
