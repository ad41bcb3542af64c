import type { Expression } from '../../../src/domain/agent/policy/syntax-tree.js';

const isExpression = (value: object): value is Expression => 'kind' in value && 'span' in value;

/** The expression and every one inside it, found without a list of the kinds that there are. */
export const expressionsOf = (expression: Expression): readonly Expression[] => {
  const inside = (value: unknown): readonly Expression[] => {
    if (typeof value !== 'object' || value === null) return [];
    const below = Object.values(value).flatMap(inside);
    return isExpression(value) ? [value, ...below] : below;
  };
  return inside(expression);
};
