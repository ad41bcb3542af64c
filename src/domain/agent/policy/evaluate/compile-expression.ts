import type { Expression, PolicyDialect, RequestVariable } from '../syntax-tree.js';
import { type Compiled, constant, dependent, type Evaluator } from './compiled.js';
import { arithmetic, negation } from './operators/arithmetic.js';
import { attribute, has } from './operators/attributes.js';
import { record, set } from './operators/constructions.js';
import { equal, unequal } from './operators/equality.js';
import { extensionCall } from './operators/extension-call.js';
import { and, conditional, not, or } from './operators/logic.js';
import { inOperator, isOfType } from './operators/membership.js';
import { methodOperator } from './operators/methods.js';
import { ordered } from './operators/ordering.js';
import { like } from './operators/texts.js';

export type { Evaluator } from './compiled.js';

const variables: Readonly<Record<RequestVariable, Evaluator>> = {
  principal: ({ principal }) => principal,
  action: ({ action }) => action,
  resource: ({ resource }) => resource,
  context: ({ context }) => context,
};

/** Recurses to the depth of the expression, which the parser bounds. The closures recurse equally deep. */
export const compileTree = (expression: Expression, dialect: PolicyDialect): Compiled => {
  const compile = (part: Expression): Compiled => compileTree(part, dialect);
  const { span } = expression;
  switch (expression.kind) {
    case 'literal':
      return constant(expression.value, span);
    case 'entity':
      return constant(expression.uid, span);
    case 'variable':
      return dependent(span, variables[expression.name]);
    case 'if':
      return conditional(
        compile(expression.condition),
        compile(expression.consequent),
        compile(expression.alternative),
        span,
      );
    case 'and':
      return and(expression.operands.map(compile), span);
    case 'or':
      return or(expression.operands.map(compile), span);
    case 'not':
      return not(compile(expression.operand), span);
    case 'negate':
      return negation(compile(expression.operand), span);
    case 'comparison': {
      const { operator } = expression;
      const left = compile(expression.left);
      const right = compile(expression.right);
      if (operator === '==') return equal(left, right, span);
      return operator === '!=' ? unequal(left, right, span) : ordered(operator, left, right, span);
    }
    case 'arithmetic': {
      const terms = expression.terms.map(({ operator, operand }) => ({ operator, operand: compile(operand) }));
      return arithmetic(compile(expression.first), terms, span);
    }
    case 'in':
      return inOperator(compile(expression.left), compile(expression.right), span);
    case 'has':
      return has(compile(expression.object), expression.path, span);
    case 'like':
      return like(compile(expression.object), expression.pattern, span);
    case 'is': {
      const container = expression.within === null ? null : compile(expression.within);
      return isOfType(compile(expression.object), expression.entityType, container, span);
    }
    case 'attribute':
      return attribute(compile(expression.object), expression.name, span);
    case 'call':
      return extensionCall(expression.name, expression.arguments.map(compile), span);
    case 'method':
      return methodOperator(
        compile(expression.object),
        expression.name,
        expression.arguments.map(compile),
        span,
        dialect,
      );
    case 'set':
      return set(expression.elements.map(compile), span);
    case 'record': {
      const entries = expression.entries.map(({ name, value }) => ({ name, value: compile(value) }));
      return record(entries, span);
    }
  }
};

/** Compiles an expression into a function and folds its constant parts once. */
export const compileExpression = (expression: Expression, dialect: PolicyDialect): Evaluator =>
  compileTree(expression, dialect).evaluate;
