import type { AgentHealth } from '../../../domain/agent-protocol/health.js';

/** Bounds of what is kept of an agent's own words for the log and for who looks at its status; lengths in characters. */
export const agentWordLimits = { text: 500, id: 200, features: 32 } as const;

/** Without white space at either end: texts of libraries end in a new line. */
export const shortened = (text: string): string => text.slice(0, agentWordLimits.text).trim();

/** What is kept of a report: it stays as long as its connection does, however much the agent has to say. */
export const shortenedHealth = (health: AgentHealth): AgentHealth => ({
  ...health,
  message: health.message && shortened(health.message),
  disabledFeatures: health.disabledFeatures.slice(0, agentWordLimits.features).map(shortened),
});
