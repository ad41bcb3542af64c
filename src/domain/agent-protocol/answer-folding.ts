import type { AgentAnswer } from './messages.js';

/** Returns the same list if there is nothing to add: most answers of a dialogue have no operations. */
const joined = <Item>(earlier: readonly Item[], later: readonly Item[]): readonly Item[] =>
  later.length === 0 ? earlier : [...earlier, ...later];

/**
 * Merges the answers to the events of one request. The last decision and the last audit data apply, so memory stays
 * bounded; header operations accumulate in order. Folding with `allowAnswer` first changes nothing.
 */
export const foldAnswers = (earlier: AgentAnswer, later: AgentAnswer): AgentAnswer => ({
  ...later,
  requestHeaders: joined(earlier.requestHeaders, later.requestHeaders),
  responseHeaders: joined(earlier.responseHeaders, later.responseHeaders),
});
