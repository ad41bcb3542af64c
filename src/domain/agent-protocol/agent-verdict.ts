import type { AgentAudit } from './messages.js';

/** Largest number of words of one kind, and of characters in each. */
const maximumWords = 16;
const maximumLength = 128;

/** The agent that ended a request, with its audit data. Bounded, whatever the agent sends. */
export interface AgentVerdict {
  /** The agent's name in the gateway's configuration. */
  readonly agent: string;
  readonly ruleIds: readonly string[];
  readonly reasonCodes: readonly string[];
  readonly tags: readonly string[];
}

const bounded = (words: readonly string[]): readonly string[] =>
  words.slice(0, maximumWords).map((word) => word.slice(0, maximumLength));

export const verdictOf = (agent: string, { ruleIds, reasonCodes, tags }: AgentAudit): AgentVerdict => ({
  agent,
  ruleIds: bounded(ruleIds),
  reasonCodes: bounded(reasonCodes),
  tags: bounded(tags),
});
