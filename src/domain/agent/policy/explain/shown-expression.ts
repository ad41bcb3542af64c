import { isError, type Outcome } from '../evaluate/evaluation-error.js';
import type { Expression, LikePattern } from '../syntax-tree.js';
import { formatValue } from './format-value.js';
import { quotePatternText, quoteText } from './quote-text.js';

const patternText = (pattern: LikePattern): string =>
  `"${pattern.map((piece) => (typeof piece === 'string' ? quotePatternText(piece) : '*')).join('')}"`;

const pathText = (path: readonly string[]): string =>
  path.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) ? path.join('.') : path.map(quoteText).join('.');

/** An expression with the values of its operands in their places; null where it has none, or is only made of others. */
export const shownExpression = (expression: Expression, evaluate: (operand: Expression) => Outcome): string | null => {
  const value = (operand: Expression): string => {
    const outcome = evaluate(operand);
    return isError(outcome) ? '(error)' : formatValue(outcome);
  };
  const values = (operands: readonly Expression[]): string => operands.map(value).join(', ');
  switch (expression.kind) {
    case 'not':
      return `!${value(expression.operand)}`;
    case 'negate':
      return `-${value(expression.operand)}`;
    case 'comparison':
      return `${value(expression.left)} ${expression.operator} ${value(expression.right)}`;
    case 'arithmetic':
      return [
        value(expression.first),
        ...expression.terms.map(({ operator, operand }) => `${operator} ${value(operand)}`),
      ].join(' ');
    case 'in':
      return `${value(expression.left)} in ${value(expression.right)}`;
    case 'has':
      return `${value(expression.object)} has ${pathText(expression.path)}`;
    case 'like':
      return `${value(expression.object)} like ${patternText(expression.pattern)}`;
    case 'is':
      return `${value(expression.object)} is ${expression.entityType}${
        expression.within === null ? '' : ` in ${value(expression.within)}`
      }`;
    case 'attribute':
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(expression.name)
        ? `${value(expression.object)}.${expression.name}`
        : `${value(expression.object)}[${quoteText(expression.name)}]`;
    case 'call':
      return `${expression.name}(${values(expression.arguments)})`;
    case 'method':
      return `${value(expression.object)}.${expression.name}(${values(expression.arguments)})`;
    case 'literal':
    case 'entity':
    case 'variable':
    case 'if':
    case 'and':
    case 'or':
    case 'set':
    case 'record':
      return null;
  }
};
