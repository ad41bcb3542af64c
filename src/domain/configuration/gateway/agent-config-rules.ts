import { checkAgentOptions } from '../agent/decode-agent-options.js';
import { ProblemReport } from '../schema/problem-report.js';
import type { ReadContext } from '../schema/schema.js';
import type { ReadAgent } from './read-gateway.js';

const context = (agent: ReadAgent, report: ProblemReport): ReadContext => ({
  report,
  path: ['agents', `agent "${agent.name.value}"`, 'config'],
  position: agent.fields.config.position,
});

/** Options of how an agent speaks to gateways over its socket. */
const ofItsOwnProcess: ReadonlySet<string> = new Set(['socket', 'health-interval-secs', 'metrics-interval-secs']);

/** The embedded agent is the auth agent, so its options are checked here and now, each where it stands. */
const checkEmbedded = (agent: ReadAgent, report: ProblemReport): void => {
  const settings = agent.fields.config.value ?? [];
  checkAgentOptions(settings, context(agent, report));
  for (const { name, position } of settings) {
    if (!ofItsOwnProcess.has(name)) continue;
    report.add(`"${name}" has no effect on an embedded agent`, { position, path: [agent.name.value] });
  }
};

/** Another agent may have other options; what the auth agent would refuse is worth a word all the same. */
const warnOfRefusal = (agent: ReadAgent, report: ProblemReport): void => {
  if (agent.fields.config.value === null) return;
  const trial = new ProblemReport((position, secret) => report.lineAt(position, secret));
  checkAgentOptions(agent.fields.config.value, context(agent, trial));
  for (const problem of trial.problems) {
    const message =
      problem.severity === 'error' ? `${problem.message}; gateway-auth would refuse this` : problem.message;
    report.append({ ...problem, severity: 'warning', message });
  }
};

const bodyReaders = ['saml', 'token-exchange'];

/** Single sign-on and token exchange read posted forms: without the event the agent never sees them. */
const requireBodyEvents = (agent: ReadAgent, report: ProblemReport): void => {
  const { events, config } = agent.fields;
  if (!events.sound || events.value.some(({ value }) => value === 'request_body_chunk')) return;
  for (const setting of config.value ?? []) {
    if (!bodyReaders.includes(setting.name)) continue;
    report.add(`"${setting.name}" needs request_body_chunk in the events of the agent`, {
      position: setting.position,
      path: ['agents', `agent "${agent.name.value}"`],
      suggestion: 'write events "request_headers" "request_body_chunk"',
    });
  }
};

export const checkAgentConfig = (agent: ReadAgent, report: ProblemReport): void => {
  requireBodyEvents(agent, report);
  if (!agent.fields.config.sound) return;
  const { transport, socket } = agent.fields;
  if (transport.value?.kind === 'embedded') checkEmbedded(agent, report);
  else if (transport.value?.kind === 'unix_socket' || socket.given) warnOfRefusal(agent, report);
};
