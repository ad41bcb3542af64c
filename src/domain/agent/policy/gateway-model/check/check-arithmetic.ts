import type { Expression } from '../../syntax-tree.js';
import { addLongs, multiplyLongs, negateLong, subtractLongs } from '../../values/long.js';
import type { Long } from '../../values/value.js';
import type { ModelReport } from '../model-report.js';
import { type ModelType, plain } from '../model-types.js';
import { checkLongs } from './check-operands.js';
import type { Operand } from './operand.js';

const operations = { '+': addLongs, '-': subtractLongs, '*': multiplyLongs } as const;

const constantOf = ({ type }: Operand): Long | null => {
  const constant = type.kind === 'plain' ? type.constant : null;
  return typeof constant === 'number' || typeof constant === 'bigint' ? constant : null;
};

const overflow = 'this always fails: the result exceeds 64 bits';
const overflowHint = 'longs go from -9223372036854775808 to 9223372036854775807';

/** Checks that `+`, `-` and `*` take longs and that constant results fit in 64 bits. */
export const checkArithmetic = (
  { terms, span }: Expression & { readonly kind: 'arithmetic' },
  operands: readonly Operand[],
  report: ModelReport,
): ModelType => {
  checkLongs('arithmetic', operands, report);
  const [first, ...others] = operands;
  let total = first === undefined ? null : constantOf(first);
  for (const [index, operand] of others.entries()) {
    const [operator, value] = [terms[index]?.operator, constantOf(operand)];
    if (total === null || value === null || operator === undefined) return plain('long');
    total = operations[operator](total, value);
    if (total === null) report.fails(span, overflow, overflowHint);
  }
  return plain('long', { constant: total });
};

/** `-x` */
export const checkNegation = (operand: Operand, span: Expression['span'], report: ModelReport): ModelType => {
  checkLongs('"-"', [operand], report);
  const value = constantOf(operand);
  if (value === null) return plain('long');
  const negated = negateLong(value);
  if (negated === null) report.fails(span, overflow, overflowHint);
  return plain('long', { constant: negated });
};
