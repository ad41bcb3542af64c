import type { AgentAnswer } from './messages.js';

/** The same list where there is nothing to add: most answers of a dialogue have no operations. */
const joined = <Item>(earlier: readonly Item[], later: readonly Item[]): readonly Item[] =>
  later.length === 0 ? earlier : [...earlier, ...later];

/**
 * The answers to the events of one request as one: the last decides, and its audit is the one that counts, so that a
 * dialogue of many answers keeps no more than one of them; header operations add up in order. Folding with
 * `allowAnswer` first changes nothing.
 */
export const foldAnswers = (earlier: AgentAnswer, later: AgentAnswer): AgentAnswer => ({
  ...later,
  requestHeaders: joined(earlier.requestHeaders, later.requestHeaders),
  responseHeaders: joined(earlier.responseHeaders, later.responseHeaders),
});
