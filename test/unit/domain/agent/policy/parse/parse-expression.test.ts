import { describe, expect, it } from 'vitest';
import type { Expression } from '../../../../../../src/domain/agent/policy/syntax-tree.js';
import { expressionProblems, oneExpression } from '../../../../../support/agent/parsed-policy.js';

/** The tree in brackets, so that what binds how tightly is plain. */
const shape = (expression: Expression): string => {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string' ? JSON.stringify(expression.value) : String(expression.value);
    case 'variable':
      return expression.name;
    case 'entity':
      return `${expression.uid.type}::"${expression.uid.id}"`;
    case 'and':
    case 'or':
      return `(${expression.kind} ${expression.operands.map(shape).join(' ')})`;
    case 'not':
    case 'negate':
      return `(${expression.kind} ${shape(expression.operand)})`;
    case 'arithmetic':
      return `(${shape(expression.first)}${expression.terms.map((term) => ` ${term.operator} ${shape(term.operand)}`).join('')})`;
    case 'comparison':
      return `(${shape(expression.left)} ${expression.operator} ${shape(expression.right)})`;
    case 'in':
      return `(${shape(expression.left)} in ${shape(expression.right)})`;
    case 'has':
      return `(${shape(expression.object)} has ${JSON.stringify(expression.path)})`;
    case 'like':
      return `(${shape(expression.object)} like ${JSON.stringify(expression.pattern)})`;
    case 'is': {
      const within = expression.within === null ? '' : ` in ${shape(expression.within)}`;
      return `(${shape(expression.object)} is ${expression.entityType}${within})`;
    }
    case 'attribute':
      return `${shape(expression.object)}.${JSON.stringify(expression.name)}`;
    case 'call':
      return `${expression.name}(${expression.arguments.map(shape).join(' ')})`;
    case 'method':
      return `${shape(expression.object)}.${expression.name}(${expression.arguments.map(shape).join(' ')})`;
    case 'set':
      return `[${expression.elements.map(shape).join(' ')}]`;
    case 'record':
      return `{${expression.entries.map(({ name, value }) => `${JSON.stringify(name)}: ${shape(value)}`).join(' ')}}`;
    case 'if':
      return `(if ${shape(expression.condition)} ${shape(expression.consequent)} ${shape(expression.alternative)})`;
  }
};

describe('expressions', () => {
  it.each([
    ['true || false && true', '(or true (and false true))'],
    ['true && false && true', '(and true false true)'],
    ['(true && false) && true', '(and (and true false) true)'],
    ['1 + 2 * 3 - 4', '(1 + (2 * 3) - 4)'],
    ['(1 + 2) * 3', '((1 + 2) * 3)'],
    ['1 - 1', '(1 - 1)'],
    ['1--1', '(1 - -1)'],
    ['1 + 2 < 3', '((1 + 2) < 3)'],
    ['1 < 2 && 3 == 4', '(and (1 < 2) (3 == 4))'],
    ['!principal.a == true', '((not principal."a") == true)'],
    ['!!!!true', '(not (not (not (not true))))'],
    ['--1', '(negate -1)'],
    ['-principal.a.b', '(negate principal."a"."b")'],
    ['-(1)', '(negate 1)'],
    ['-1.a', '(negate 1."a")'],
    ['principal in [resource, User::"a"]', '(principal in [resource User::"a"])'],
    ['principal has a.b.c', '(principal has ["a","b","c"])'],
    ['principal has "a.b"', '(principal has ["a.b"])'],
    ['principal has action && true', '(and (principal has ["action"]) true)'],
    ['"a" like "x*"', '("a" like ["x",{"kind":"any-text"}])'],
    ['principal is A::B', '(principal is A::B)'],
    ['principal is A in B::"c" && true', '(and (principal is A in B::"c") true)'],
    ['principal is A in resource.x', '(principal is A in resource."x")'],
    ['context.a["b c"].d', 'context."a"."b c"."d"'],
    ['[1].contains(2,)', '[1].contains(2)'],
    ['ip("::1").isInRange(ip("::/0"))', 'ip("::1").isInRange(ip("::/0"))'],
    ['if true then 1 else if false then 2 else 3 + 4', '(if true 1 (if false 2 (3 + 4)))'],
    ['[if true then 1 else 2,]', '[(if true 1 2)]'],
    ['{a: 1, "b c": {}, principal: [],}', '{"a": 1 "b c": {} "principal": []}'],
    ['A :: B // c\n :: "d"', 'A::B::"d"'],
    ['principal::"x"', 'principal::"x"'],
    ['((principal))', 'principal'],
  ])('%s', (text, expected) => {
    expect(shape(oneExpression(text))).toBe(expected);
  });

  it('cover the whole 64-bit range', () => {
    expect(oneExpression('9223372036854775807')).toMatchObject({ value: 9223372036854775807n });
    expect(oneExpression('-9223372036854775808')).toMatchObject({ value: -9223372036854775808n });
    expect(oneExpression('9007199254740991')).toMatchObject({ value: 9007199254740991 });
    expect(oneExpression('9007199254740992')).toMatchObject({ value: 9007199254740992n });
    expect(oneExpression('-0')).toMatchObject({ value: 0 });
    expect(oneExpression(`${'0'.repeat(100)}7`)).toMatchObject({ value: 7 });
    for (const text of ['9223372036854775808', '-9223372036854775809', '-(9223372036854775808)', '9'.repeat(5000)]) {
      expect(expressionProblems(text)[0]).toContain('does not fit in 64 bits');
    }
  });

  it('have spans', () => {
    const text = ' (1 + 2) == -principal.a ';
    const whole = oneExpression(text);
    if (whole.kind !== 'comparison') return expect.fail(whole.kind);
    const part = ({ span }: Expression): string => text.slice(span.start, span.end);
    expect([whole, whole.left, whole.right].map(part)).toEqual(['(1 + 2) == -principal.a', '1 + 2', '-principal.a']);
  });

  it.each([
    ['1 == 2 == 3', '7-9 `==` cannot follow another comparison'],
    ['principal has a has b', '16-19 `has` cannot follow another comparison'],
    ['principal is A in resource in action', '27-29 `in` cannot follow another comparison'],
    ['!!!!!true', '0-5 more than 4 `!` in a row'],
    ['-----1', '0-5 more than 4 `-` in a row'],
    ['!-1', '1-2 expected an operand, found `-`'],
    ['1 + if true then 1 else 2', '4-6 an `if` inside an operation must be in parentheses'],
    ['true && if true then true else true', '8-10 an `if` inside'],
    ['if true then 1', '14-14 expected `else`, found the end of the text'],
    ['[1,,2]', '3-4 expected an expression, found `,`'],
    ['(1, 2)', '2-3 expected `)`, found `,`'],
    ['()', '1-2 expected an expression, found `)`'],
    ['{a: 1, "\\u{61}": 2}', '7-15 the attribute `a` is given twice'],
    ['{1: 1}', '1-2 expected the name of an attribute or `}`, found `1`'],
    ['{in: 1}', '1-3 `in` is a reserved word'],
    ['principal.is', '10-12 `is` is a reserved word'],
    ['principal.__cedar', '10-17 `__cedar` is a reserved word'],
    ['A::if::"b"', '3-5 `if` is a reserved word'],
    ['__cedar::A::"b"', '0-7 `__cedar` is a reserved word'],
    ['principal has a.then', '16-20 `then` is a reserved word'],
    ['principal[0]', '10-11 expected the name of an attribute as a string'],
    ['principal like action', '15-21 expected a string after `like`'],
    ['principal is A::"b"', '13-19 expected an entity type after `is`, found an entity'],
    ['principal()', '0-9 `principal` cannot be called'],
    ['"a"()', '3-4 only names can be called'],
    ['"a\\*"', '2-4 `\\*` stands for a star'],
    ['principal.foo()', '10-13 there is no method `foo`'],
    ['foo()', '0-3 there is no function `foo`'],
    ['[].contains()', '3-11 `contains` takes one argument, found 0'],
    ['[].isEmpty(1)', '3-10 `isEmpty` takes no argument, found 1'],
    ['contains(1)', '0-8 `contains` is a method, not a function'],
    ['principal.ip()', '10-12 `ip` is a function, not a method'],
    ['?principal == action', '0-10 `?principal` can only be in the scope of a template'],
    ['User::"a" "b"', '10-13 expected an operator or the end, found the string "b"'],
    ['', '0-0 expected an expression, found the end of the text'],
  ])('%s is refused', (text, problem) => {
    expect(expressionProblems(text)[0]).toContain(problem);
  });

  it('leave argument counts of extensions to the evaluation, as Cedar does', () => {
    expect(shape(oneExpression('decimal()'))).toBe('decimal()');
    expect(shape(oneExpression('ip("a", 1).isIpv4(2)'))).toBe('ip("a" 1).isIpv4(2)');
  });

  it('have `startsWith` and `endsWith` only in the extended dialect', () => {
    for (const name of ['startsWith', 'endsWith']) {
      expect(oneExpression(`"a".${name}("b")`, 'extended')).toMatchObject({ kind: 'method', name });
      expect(expressionProblems(`"a".${name}("b")`, 'cedar')[0]).toContain(`\`${name}\` is not a method of Cedar`);
      expect(expressionProblems(`"a".${name}()`, 'extended')[0]).toContain('takes one argument, found 0');
    }
  });

  it('refuse the partial evaluation function', () => {
    expect(expressionProblems('unknown("x")', 'extended')).toEqual([
      '0-7 `unknown` is a function of partial evaluation, which is not part of this language',
    ]);
  });

  it('accept it in the Cedar dialect, with any arguments', () => {
    for (const text of ['unknown("x")', 'unknown()', 'unknown(1, principal)']) {
      expect(oneExpression(text, 'cedar')).toMatchObject({ kind: 'call', name: 'unknown' });
    }
    expect(expressionProblems('"x".unknown()')[0]).toContain('there is no method `unknown`');
    expect(expressionProblems('A::unknown("x")')[0]).toContain('there is no function `A::unknown`');
  });
});
