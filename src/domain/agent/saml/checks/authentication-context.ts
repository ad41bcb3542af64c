import type { AuthenticationStatement } from '../assertion.js';

/** The first statement whose context is one of these; where none is asked for, the first. */
export const statementInContext = (
  statements: readonly AuthenticationStatement[],
  contexts: readonly string[],
): AuthenticationStatement | null =>
  statements.find(
    ({ contextClass }) => contexts.length === 0 || (contextClass !== null && contexts.includes(contextClass)),
  ) ?? null;
