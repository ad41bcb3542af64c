/** Limits of a policy text. The parser refuses a text that exceeds one. */
export const policyLimits = {
  /** Length of one text, in UTF-16 code units. */
  textLength: 16 * 1024 * 1024,
  /** Policies and templates in one set. */
  policies: 100_000,
  /** Nesting depth of expressions. Parentheses, each `.name`, index and method call count as one level. */
  depth: 200,
  /** Problems reported before the parser stops. */
  problems: 50,
} as const;
