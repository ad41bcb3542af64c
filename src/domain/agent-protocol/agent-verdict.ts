import type { AgentAudit } from './messages.js';

/** Words of one kind that are kept, and characters of each. */
const maximumWords = 16;
const maximumLength = 128;

/** Which agent ended a request, and what it wants remembered of that. Bounded, whatever the agent says. */
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
