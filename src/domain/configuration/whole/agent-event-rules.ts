import type { AgentSubscription } from '../../gateway/configuration/gateway-configuration.js';
import type { ReadAgent } from '../../gateway/configuration/read-gateway.js';
import type { ProblemReport } from '../schema/problem-report.js';
import { type TriedOptions, triedOptions } from './tried-options.js';

/** A body goes to an agent that asked for it when it saw the head. */
const headOf: Partial<Record<AgentSubscription, AgentSubscription>> = {
  request_body_chunk: 'request_headers',
  response_body_chunk: 'response_headers',
};

/** What the auth agent looks at. */
const ofRequests: ReadonlySet<AgentSubscription> = new Set(['request_headers', 'request_body_chunk']);

const bodyReaders = ['saml', 'token-exchange'];

/** Whether the config is that of an agent which lets nobody pass unknown, as far as it can be read. */
const isForRequests = ({ options }: TriedOptions): boolean => {
  const { jwtSecret, jwtPublicKey, apiKeys, basicAuthUsers, oidc, mtls, authz, saml, tokenExchange } = options;
  return [jwtSecret, jwtPublicKey, apiKeys, basicAuthUsers, oidc, mtls, authz, saml, tokenExchange].some(
    (option) => option !== undefined,
  );
};

/** An agent that is not asked about heads judges no request: its routes would be open. */
const requireRequestHead = (agent: ReadAgent, report: ProblemReport): void => {
  const { events, transport } = agent.fields;
  const path = ['agents', `agent "${agent.name.value}"`];
  if (events.value.length === 0) {
    report.add('"events" must hold one event at the least', { position: events.position, path });
    return;
  }
  if (events.value.some(({ value }) => value === 'request_headers')) return;
  if (transport.value?.kind !== 'embedded' && !isForRequests(triedOptions(agent))) return;
  report.add('"events" must hold request_headers: without it the agent judges no request', {
    position: events.position,
    path,
    suggestion: 'write events "request_headers"',
  });
};

const requireHeads = ({ name, fields: { events } }: ReadAgent, report: ProblemReport): void => {
  const subscribed = new Set(events.value.map(({ value }) => value));
  for (const [chunk, head] of Object.entries(headOf)) {
    const found = events.value.find(({ value }) => value === chunk);
    if (found === undefined || subscribed.has(head)) continue;
    report.add(`"${chunk}" needs ${head} in the events: the agent asks for a body when it has seen its head`, {
      position: found.position ?? events.position,
      path: ['agents', `agent "${name.value}"`],
      suggestion: `write events ${[head, ...subscribed].map((event) => `"${event}"`).join(' ')}`,
    });
  }
};

const refuseIdleEvents = ({ name, fields: { events, transport } }: ReadAgent, report: ProblemReport): void => {
  if (transport.value?.kind !== 'embedded') return;
  for (const { value, position } of events.value) {
    if (ofRequests.has(value)) continue;
    report.add(`"${value}" has no effect on an embedded agent: it looks at requests alone`, {
      position: position ?? events.position,
      path: ['agents', `agent "${name.value}"`],
    });
  }
};

/** Single sign-on and token exchange read posted forms: without the event the agent never sees them. */
const requireBodies = (agent: ReadAgent, report: ProblemReport): void => {
  const { events, config } = agent.fields;
  if (events.value.some(({ value }) => value === 'request_body_chunk')) return;
  for (const setting of config.value ?? []) {
    if (!bodyReaders.includes(setting.name)) continue;
    report.add(`"${setting.name}" needs request_body_chunk in the events of the agent`, {
      position: setting.position,
      path: ['agents', `agent "${agent.name.value}"`],
      suggestion: 'write events "request_headers" "request_body_chunk"',
    });
  }
};

/** What an agent is asked about has to go together, and to be what it can judge. */
export const checkAgentEvents = (agent: ReadAgent, report: ProblemReport): void => {
  if (!agent.fields.events.sound) return;
  requireRequestHead(agent, report);
  requireHeads(agent, report);
  refuseIdleEvents(agent, report);
  requireBodies(agent, report);
};
