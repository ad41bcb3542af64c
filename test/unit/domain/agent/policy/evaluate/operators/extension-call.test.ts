import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { describe, expect, it } from 'vitest';
import { compilePolicies } from '../../../../../../../src/domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../../../../../src/domain/agent/policy/evaluate/decide.js';
import { exampleRequest, failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';
import { onePolicy } from '../../../../../../support/agent/parsed-policy.js';

describe('extension functions', () => {
  it.each([
    ['ip("10.1.2.3").isInRange(ip("10.0.0.0/8"))', true],
    ['ip("11.1.2.3").isInRange(ip("10.0.0.0/8"))', false],
    ['ip("127.0.0.1").isLoopback()', true],
    ['decimal("1.5").lessThan(decimal("2.0"))', true],
    ['datetime("2024-01-01").offset(duration("1d")) == datetime("2024-01-02")', true],
    ['datetime("2024-01-02").durationSince(datetime("2024-01-01")).toHours()', 24],
    ['false && ip("bad").isIpv4()', false],
    ['true || decimal("x").lessThan(1)', true],
    ['if true then 1 else ip("bad")', 1],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['ip("bad")', 'extension_error: ip("bad")'],
    ['ip("bad").isIpv4()', 'extension_error: ip("bad")'],
    ['decimal("1.00000")', 'extension_error: decimal("1.00000")'],
    ['datetime("2024-02-30")', 'extension_error: datetime("2024-02-30")'],
    ['duration("1x")', 'extension_error: duration("1x")'],
    ['ip(1)', 'type_error: ip(1)'],
    ['"a".isIpv4()', 'type_error: "a".isIpv4()'],
    ['decimal("1.0").lessThan(1)', 'type_error: decimal("1.0").lessThan(1)'],
    ['ip("::1").isInRange(decimal("1.0"))', 'type_error: ip("::1").isInRange(decimal("1.0"))'],
    ['ip(principal.missing)', 'attribute_missing: principal.missing'],
    ['"a".isInRange(principal.missing)', 'attribute_missing: principal.missing'],
    ['true && ip("bad")', 'extension_error: ip("bad")'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});

/** What Cedar's own engine and this one make of a condition; in both an error is told by the id of the policy. */
const verdicts = (condition: string): readonly unknown[] => {
  const text = `permit(principal, action, resource) when { ${condition} };`;
  const uids = {
    principal: exampleRequest.principal,
    action: exampleRequest.action,
    resource: exampleRequest.resource,
  };
  const request = Object.fromEntries(Object.entries(uids).map(([name, { type, id }]) => [name, { type, id }]));
  const policies = { staticPolicies: { policy0: text }, templates: {}, templateLinks: [] };
  const answer = isAuthorized({ ...request, context: {}, entities: [], policies } as never);
  if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors));
  const { decision, diagnostics } = answer.response;
  const own = decide(compilePolicies([onePolicy(text)], 'cedar'), exampleRequest);
  return [
    { decision, errors: diagnostics.errors.map(({ policyId }) => policyId) },
    { decision: own.decision, errors: own.errors.map(({ policyId }) => policyId) },
  ];
};

describe('the partial evaluation function', () => {
  it.each([
    'unknown("x")',
    'unknown()',
    'unknown("x", "y")',
    'unknown(1)',
    'unknown("x") || true',
    'unknown("x") == unknown("x")',
    'unknown("x").a',
    '!(unknown("x") has a)',
    '[unknown("x"), 1].contains(1)',
    'if unknown("x") then true else true',
    'principal is Role in unknown("x")',
    '!(principal is Role in unknown("x"))',
    'true || unknown("x")',
    'false && unknown("x")',
    'if true then true else unknown("x")',
  ])('behaves as in Cedar: %s', (condition) => {
    const [cedar, own] = verdicts(condition);
    expect(own).toEqual(cedar);
  });

  it('fails in every position', () => {
    expect(failureOf('1 + unknown("x")')).toBe('extension_error: unknown("x")');
    expect(failureOf('unknown()')).toBe('extension_error: unknown()');
  });
});
