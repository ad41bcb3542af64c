import type { Policy } from '../syntax-tree.js';
import { checkPolicy } from './check-policy.js';
import type { ModelFinding } from './model-finding.js';

/**
 * Finds what in policies can never be as it is written: names that the gateway never has, values of one type where only another
 * has a meaning, texts that no request brings, and constants that are an error each time. What a token may carry (anything
 * below `claims`) is not judged.
 */
export const checkAgainstModel = (policies: readonly Policy[]): readonly ModelFinding[] =>
  policies.flatMap(checkPolicy);
