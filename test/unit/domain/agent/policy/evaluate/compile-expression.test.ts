import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../../../../../src/domain/agent/policy/evaluate/compile-expression.js';
import { isError } from '../../../../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import { parseExpressionText } from '../../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';
import { emptyRecord, recordOf } from '../../../../../../src/domain/agent/policy/values/record-value.js';
import { exampleRequest, resultOf } from '../../../../../support/agent/evaluated-expression.js';

const compiled = (text: string) => {
  const parsed = parseExpressionText(text, 'cedar');
  if (!parsed.ok) throw new Error(parsed.error[0]?.message);
  return compileExpression(parsed.value, 'cedar');
};

describe('a compiled expression', () => {
  it.each([
    ['principal', exampleRequest.principal],
    ['action', exampleRequest.action],
    ['resource', exampleRequest.resource],
    ['context', exampleRequest.context],
  ])('reads the variable %s', (name, value) => {
    expect(compiled(name)(exampleRequest)).toBe(value);
  });

  it('evaluates each request independently', () => {
    const evaluate = compiled('context has on && context.on == "yes"');
    const asked = (on: string) => evaluate({ ...exampleRequest, context: recordOf([['on', on]]) });
    expect([asked('yes'), asked('no'), evaluate({ ...exampleRequest, context: emptyRecord }), asked('yes')]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('delays the error of a constant until evaluation', () => {
    const evaluate = compiled('principal == User::"alice" || ip("bad").isIpv4()');
    expect(evaluate(exampleRequest)).toBe(true);
    const outcome = evaluate({ ...exampleRequest, principal: exampleRequest.resource });
    expect(isError(outcome) && outcome.code).toBe('extension_error');
  });

  it('does not fold an entity in a constant: its data depends on the request', () => {
    const evaluate = compiled('User::"alice" in [Role::"staff"] && User::"alice" has age && User::"alice".age == 40');
    expect(evaluate(exampleRequest)).toBe(true);
    expect(evaluate({ ...exampleRequest, entities: { get: () => undefined } })).toBe(false);
  });

  it.each([
    ['&&', 'true', true],
    ['||', 'false', false],
    ['+', '0', 0],
  ])('evaluates a long chain of %s without deep recursion', (operator, operand, value) => {
    const text = Array.from({ length: 50_000 }, () => operand).join(operator);
    expect(compiled(text)(exampleRequest)).toBe(value);
    expect(compiled(text.replace(operand, `(if context has method then ${operand} else 1)`))(exampleRequest)).toBe(
      value,
    );
  });

  it('evaluates wide sets', () => {
    const wide = Array.from({ length: 20_000 }, (_, index) => index).join(', ');
    expect(resultOf(`[${wide}].contains(19999) && [${wide}].containsAll([0, 19998])`)).toBe(true);
  });

  it('evaluates the deepest nesting that parses', () => {
    const nested = (depth: number) =>
      `${'[if context has method then '.repeat(depth)}1${' else 2]'.repeat(depth)} != 1`;
    expect(resultOf(nested(60))).toBe(true);
  });
});
