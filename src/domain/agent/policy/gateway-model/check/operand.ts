import type { Expression } from '../../syntax-tree.js';
import type { ModelType } from '../model-types.js';

/** A part of an expression, and what it can come to. */
export interface Operand {
  readonly expression: Expression;
  readonly type: ModelType;
}

const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);

/** How the operand is written, where that is a variable or an attribute of one; the other words where it is not. */
export const spelt = (expression: Expression, otherwise: string): string => {
  if (expression.kind === 'variable') return expression.name;
  if (expression.kind !== 'attribute' || !isName(expression.name)) return otherwise;
  const object = spelt(expression.object, '');
  return object === '' ? otherwise : `${object}.${expression.name}`;
};
