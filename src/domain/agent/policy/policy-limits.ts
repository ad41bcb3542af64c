/** What a policy text may be at most. The parser refuses what is beyond. */
export const policyLimits = {
  /** UTF-16 code units of one text. */
  textLength: 16 * 1024 * 1024,
  /** Policies and templates of one set. */
  policies: 100_000,
  /** Expressions inside expressions, parentheses too; each `.name`, index and method call counts as one. */
  depth: 200,
  /** Problems that are reported before the parser gives up. */
  problems: 50,
} as const;
