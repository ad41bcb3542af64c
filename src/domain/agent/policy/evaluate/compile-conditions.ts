import type { PolicyCondition, PolicyDialect } from '../syntax-tree.js';
import { compileTree } from './compile-expression.js';
import { type Compiled, constant } from './compiled.js';
import { and, not } from './operators/logic.js';

/**
 * The conditions of a policy as one expression. They are looked at in order, and none after the first that does not hold. A
 * single condition may come to what is no boolean, which its reader has to treat as an error.
 */
export const compileConditions = (conditions: readonly PolicyCondition[], dialect: PolicyDialect): Compiled => {
  const clauses = conditions.map(({ kind, body }) => {
    const compiled = compileTree(body, dialect);
    return kind === 'when' ? compiled : not(compiled, compiled.span);
  });
  const [first, second] = clauses;
  if (first === undefined) return constant(true, { start: 0, end: 0 });
  return second === undefined ? first : and(clauses, first.span);
};
