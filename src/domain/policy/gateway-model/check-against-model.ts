import type { Policy } from '../syntax-tree.js';
import { checkPolicy } from './check-policy.js';
import type { ModelFinding } from './model-finding.js';

/**
 * Finds the names in policies that the gateway never has: actions that are no HTTP method, types of entities and attributes
 * that there are none of, and types where only others can be. What a token may carry (anything below `claims`) is not judged,
 * nor are comparisons that can never hold.
 */
export const checkAgainstModel = (policies: readonly Policy[]): readonly ModelFinding[] =>
  policies.flatMap(checkPolicy);
