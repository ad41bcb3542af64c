import { describe, expect, it } from 'vitest';
import { findUnusableRoles } from '../../../../../../src/domain/agent/policy/gateway-model/find-unusable-roles.js';
import { parsePolicies } from '../../../../../../src/domain/agent/policy/parse/parse-policies.js';

const found = (text: string, rolesPossible = false) => {
  const parsed = parsePolicies(text, 'extended');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return findUnusableRoles(parsed.value, { rolesPossible });
};
const when = (condition: string) => `forbid(principal, action, resource) when { ${condition} };`;

const speaking = [
  'forbid(principal in Role::"guest", action, resource);',
  'forbid(principal == Role::"guest", action, resource);',
  'forbid(principal is User in Role::"guest", action, resource);',
  'permit(principal, action, resource) unless { principal in Role::"guest" };',
  ...[
    'principal in [Role::"a", Role::"b"]',
    'principal is User in Role::"a"',
    'principal.roles.contains("a")',
    'principal["roles"].contains("a")',
    '["a"].containsAny(context.roles)',
    'context.roles == ["a"]',
    'true && (false || !(principal in Role::"a"))',
    'if principal in Role::"a" then true else false',
    'if true then true else context.roles.isEmpty()',
    '{"a": context.roles} has a',
    '{"a": Role::"a"}.a == principal',
    'ip(if principal in Role::"a" then "::1" else "::2").isIpv6()',
    '(if principal in Role::"a" then "a" else "b") like "a"',
    '1 + (if principal in Role::"a" then 1 else 2) > 2',
    '-(if principal in Role::"a" then 1 else 2) > 2',
  ].map(when),
];

const silent = [
  'forbid(principal == User::"Role", action, resource == Resource::"/roles");',
  ...[
    'context.claims.roles.contains("a")',
    'principal.claims.roles == "Role"',
    'principal in User::"a"',
    'resource.path like "/roles/*"',
    '{"roles": ["a"]}.roles.contains("a")',
  ].map(when),
];

describe('roles that no principal can have', () => {
  it.each(speaking)('are reported in %s', (text) => {
    expect(found(text)).toEqual([
      {
        policyId: 'policy0',
        message: 'the policy uses roles, but no principal can have one',
        span: { start: 0, end: text.length },
        suggestion: expect.stringContaining('set roles-claim'),
      },
    ]);
  });

  it.each(silent)('are not reported in %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('give one finding per policy, at that policy', () => {
    const [first, other, last] = [
      speaking[0],
      silent[0],
      when('context.roles.contains("a") || principal.roles.isEmpty()'),
    ];
    const text = `${first}\n${other}\n${last}`;
    expect(found(text).map(({ span }) => text.slice(span.start, span.end))).toEqual([first, last]);
  });

  it('are not reported if principals can have roles', () => {
    expect(found(speaking.join('\n'), true)).toEqual([]);
  });
});
