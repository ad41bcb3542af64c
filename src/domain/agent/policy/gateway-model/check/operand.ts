import type { Expression } from '../../syntax-tree.js';
import type { ModelType } from '../model-types.js';

/** A part of an expression and its static type. */
export interface Operand {
  readonly expression: Expression;
  readonly type: ModelType;
}

const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);

/** The source text of a variable or of an attribute path on one; `otherwise` for any other expression. */
export const expressionText = (expression: Expression, otherwise: string): string => {
  if (expression.kind === 'variable') return expression.name;
  if (expression.kind !== 'attribute' || !isName(expression.name)) return otherwise;
  const object = expressionText(expression.object, '');
  return object === '' ? otherwise : `${object}.${expression.name}`;
};
