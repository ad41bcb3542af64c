import { agentOptionNames, servingOptionNames } from '../../agent/configuration/agent-options-schema.js';
import { checkAgentOptions } from '../../agent/configuration/decode-agent-options.js';
import type { ReadAgent } from '../../gateway/configuration/read-gateway.js';
import { ProblemReport } from '../schema/problem-report.js';
import type { ReadContext } from '../schema/schema.js';

const context = (agent: ReadAgent, report: ProblemReport): ReadContext => ({
  report,
  path: ['agents', `agent "${agent.name.value}"`, 'config'],
  position: agent.fields.config.position,
});

/** Options that only an agent in its own process has: how it serves gateways, and what it reports to them. */
const ofItsOwnProcess: ReadonlySet<string> = new Set(servingOptionNames);

const ofAuthAgent: ReadonlySet<string> = new Set(agentOptionNames);

/** Checks the options of an embedded agent, which is always the auth agent. */
const checkEmbedded = (agent: ReadAgent, report: ProblemReport): void => {
  const settings = agent.fields.config.value ?? [];
  checkAgentOptions(settings, context(agent, report));
  for (const { name, position } of settings) {
    if (!ofItsOwnProcess.has(name)) continue;
    report.add(`"${name}" has no effect on an embedded agent`, { position, path: [agent.name.value] });
  }
};

/**
 * Checks the options of an external agent. It may not be the auth agent, so errors become warnings, and only if the
 * config contains an option of the auth agent.
 */
const warnOfRefusal = (agent: ReadAgent, report: ProblemReport): void => {
  if (!agent.fields.config.value?.some(({ name }) => ofAuthAgent.has(name))) return;
  const trial = new ProblemReport(
    (position, secret) => report.lineAt(position, secret),
    (text, offset) => report.placeInText(text, offset),
  );
  checkAgentOptions(agent.fields.config.value, context(agent, trial));
  for (const problem of trial.problems) {
    const message =
      problem.severity === 'error' ? `${problem.message}; gateway-auth would refuse this` : problem.message;
    report.append({ ...problem, severity: 'warning', message });
  }
};

export const checkAgentConfig = (agent: ReadAgent, report: ProblemReport): void => {
  if (!agent.fields.config.sound) return;
  const { transport, socket } = agent.fields;
  if (transport.value?.kind === 'embedded') checkEmbedded(agent, report);
  else if (transport.value !== null || socket.given) warnOfRefusal(agent, report);
};
