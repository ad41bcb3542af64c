import { describe, expect, it } from 'vitest';
import { parsePolicies } from '../../../../../../src/domain/agent/policy/parse/parse-policies.js';
import { policyLimits } from '../../../../../../src/domain/agent/policy/policy-limits.js';
import { onePolicy, policyProblems } from '../../../../../support/agent/parsed-policy.js';

const good = 'permit(principal, action, resource);';

describe('a text of policies', () => {
  it('can be empty', () => {
    expect(parsePolicies(' // nothing\n', 'cedar')).toEqual({ ok: true, value: [] });
  });

  it('numbers policies and templates together', () => {
    const text = `${good} forbid(principal == ?principal, action, resource);\n${good}`;
    const parsed = parsePolicies(text, 'cedar');
    expect(parsed.ok && parsed.value.map(({ id, effect }) => [id, effect])).toEqual([
      ['policy0', 'permit'],
      ['policy1', 'forbid'],
      ['policy2', 'permit'],
    ]);
  });

  it('keeps annotations in order, with the empty string for a missing value', () => {
    const { annotations } = onePolicy(`@id("a\\n") @note @if("") @__cedar ${good}`);
    expect([...annotations]).toEqual([
      ['id', 'a\n'],
      ['note', ''],
      ['if', ''],
      ['__cedar', ''],
    ]);
  });

  it('keeps conditions in order', () => {
    const text = 'forbid(principal, action, resource) when { 1 } unless { 2 } when { 3 };';
    const { conditions, span } = onePolicy(`  ${text}  `);
    expect(conditions.map(({ kind }) => kind)).toEqual(['when', 'unless', 'when']);
    expect(span).toEqual({ start: 2, end: 2 + text.length });
  });

  it.each([
    [`@a("x") @b @a ${good}`, '12-13 the annotation `@a` is given twice'],
    [`@a() ${good}`, '3-4 expected the value of the annotation as a string, found `)`'],
    [`@a("x",) ${good}`, '6-7 expected `)`, found `,`'],
    [`@"a" ${good}`, '1-4 expected the name of an annotation after `@`'],
    [`@a("\\*") ${good}`, '4-6 `\\*` stands for a star'],
    [`${good};`, '36-37 expected `permit` or `forbid`, found `;` (one `;` ends a policy)'],
    ['permit(principal, action, resource) when {};', '42-43 expected a condition, found `}`'],
    ['permit(principal, action, resource) when true;', '41-45 expected `{` after `when`, found `true`'],
    ['permit(principal, action, resource) when { true;', '47-48 expected `}` or an operator, found `;`'],
    ['permit(principal, action, resource', '34-34 expected `)`, `==`, `in` or `is`, found the end of the text'],
    [`\ufeff${good}`, '0-1 expected `permit` or `forbid`, found `\\u{feff}` (save the text without a byte order mark)'],
  ])('is refused with a position: %j', (text, problem) => {
    expect(policyProblems(text)[0]).toContain(problem);
  });

  it('reports several problems in order, and continues after a broken policy', () => {
    const text = [
      'permits(principal, action, resource);',
      good,
      'forbid(principal, action, resource) when { principal.foo() && "\\q" == {a: 1, a: 2} };',
      'permit(principal action, resource) when { true; false };',
      'permit(principal, action, resource) when { 1 = 2 }',
      'permit(principal, action, resource) when { 1 }',
      good,
    ].join('\n');
    const lines = policyProblems(text).map((problem) => {
      const start = Number.parseInt(problem, 10);
      return `${text.slice(0, start).split('\n').length} ${problem.slice(problem.indexOf(' ') + 1)}`;
    });
    expect(lines).toEqual([
      '1 expected `permit` or `forbid`, found `permits` (did you mean "permit"?)',
      '3 there is no method `foo`',
      '3 not an escape; a backslash itself is written `\\\\`',
      '3 the attribute `a` is given twice',
      '4 expected `,`, `==`, `in` or `is`, found `action` (after `principal` there can be `==`, `in`, `is` or a comma)',
      '5 expected `}` or an operator, found `=` (did you mean `==`?)',
      '6 the policy does not end: expected `;` (put `;` at the end of the policy)',
    ]);
  });

  it('stops after the maximum number of problems', () => {
    expect(policyProblems('permit();\n'.repeat(policyLimits.problems * 3))).toHaveLength(policyLimits.problems);
    expect(policyProblems('@a'.repeat(policyLimits.problems * 3))).toHaveLength(policyLimits.problems);
  });

  it('is refused if too long or with too many policies', () => {
    expect(policyProblems(' '.repeat(policyLimits.textLength + 1))[0]).toContain('the text is too long');
    expect(policyProblems(good.repeat(policyLimits.policies + 1))).toEqual([
      `${good.length * policyLimits.policies}-${good.length * policyLimits.policies + 6} more than 100000 policies`,
    ]);
  });
});
