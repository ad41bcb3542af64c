import type { AuthenticationStatement } from '../assertion.js';

/** The first statement with one of these contexts; without contexts, the first statement. */
export const statementInContext = (
  statements: readonly AuthenticationStatement[],
  contexts: readonly string[],
): AuthenticationStatement | null =>
  statements.find(
    ({ contextClass }) => contexts.length === 0 || (contextClass !== null && contexts.includes(contextClass)),
  ) ?? null;
