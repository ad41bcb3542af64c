import { isForRequests } from '../../agent/configuration/agent-option-rules.js';
import type { AgentOptions } from '../../agent/configuration/agent-options-schema.js';
import { readAgentOptions } from '../../agent/configuration/decode-agent-options.js';
import { checkAgentTransport } from '../../gateway/configuration/agent-transport-rules.js';
import { checkAudit } from '../../gateway/configuration/audit-rules.js';
import type { AgentSubscription } from '../../gateway/configuration/gateway-configuration.js';
import { checkListener } from '../../gateway/configuration/listener-rules.js';
import { warnOfOpenRoutes } from '../../gateway/configuration/open-route-rules.js';
import { checkRoutePolicies } from '../../gateway/configuration/policy-rules.js';
import { checkRateStore } from '../../gateway/configuration/rate-store-rules.js';
import {
  agentsOf,
  listenersOf,
  type ReadAgent,
  type ReadGateway,
  routesOf,
  upstreamsOf,
} from '../../gateway/configuration/read-gateway.js';
import { checkRouteRates } from '../../gateway/configuration/route-rate-rules.js';
import { checkRoute } from '../../gateway/configuration/route-rules.js';
import { requireOneConfigPerEndpoint } from '../../gateway/configuration/shared-endpoint-rules.js';
import { checkTracing } from '../../gateway/configuration/tracing-rules.js';
import { checkUpstream, warnOfSharedCookies } from '../../gateway/configuration/upstream-rules.js';
import type { PatternFault } from '../../gateway/routing/path-pattern.js';
import type { SourcePosition } from '../configuration-problem.js';
import type { SocketAddress } from '../network-addresses.js';
import { isLoopback, socketAddressText } from '../schema/network-kinds.js';
import { ProblemReport } from '../schema/problem-report.js';
import { checkAgentConfig } from './agent-config-rules.js';
import { checkCertificateHeaders } from './certificate-header-rules.js';
import { checkHeaderRules } from './header-rule-rules.js';
import { checkIdentityHeaders } from './identity-header-rules.js';
import { triedOptions } from './tried-options.js';

/** The options of an agent. Another check reports their errors. */
const optionsOf = ({ fields: { config } }: ReadAgent): AgentOptions =>
  readAgentOptions(config.value ?? [], { report: new ProblemReport(() => null), path: [], position: null });

/** The header in which an agent expects certificates, in lower case; null: none. */
const headerRead = ({ mtls }: AgentOptions): string | null =>
  mtls?.enabled === true ? mtls.clientCertHeader.toLowerCase() : null;

/**
 * Warns if two agents of a route read certificates. The first removes the header, so the second finds no certificate.
 */
const warnOfTakenCertificates = (gateway: ReadGateway, report: ProblemReport): void => {
  const options = new Map(agentsOf(gateway).map((agent) => [agent.name.value, optionsOf(agent)]));
  for (const { name, fields } of routesOf(gateway)) {
    const takers = new Map<string, string>();
    for (const { value: agent, position } of fields.agents.value) {
      const own = options.get(agent);
      const header = own ? headerRead(own) : null;
      if (own === undefined || header === null) continue;
      const taker = takers.get(header);
      if (taker === undefined) {
        if (own.forwardCredentials !== true) takers.set(header, agent);
      } else if (taker !== agent) {
        report.add(
          `agent "${agent}" receives no client certificate on route "${name.value}": agent "${taker}" removes it first`,
          {
            severity: 'warning',
            position,
            path: ['routes', `route "${name.value}"`],
            suggestion: `let one of them check certificates, or write forward-credentials #true in the config of agent "${taker}"`,
          },
        );
      }
    }
  }
};

/** By body event, the head event that it needs: an agent asks for a body after it has seen the head. */
const headOf: Partial<Record<AgentSubscription, AgentSubscription>> = {
  request_body_chunk: 'request_headers',
  response_body_chunk: 'response_headers',
};

/** The events that the auth agent uses. */
const ofRequests: ReadonlySet<AgentSubscription> = new Set(['request_headers', 'request_body_chunk']);

const bodyReaders = ['saml', 'oidc-login', 'token-exchange'];

/** Requires `request_headers`. Without this event the agent decides nothing and its routes are open. */
const requireRequestHead = (agent: ReadAgent, report: ProblemReport): void => {
  const { events, transport } = agent.fields;
  const path = ['agents', `agent "${agent.name.value}"`];
  if (events.value.length === 0) {
    report.add('"events" needs at least one event', { position: events.position, path });
    return;
  }
  if (events.value.some(({ value }) => value === 'request_headers')) return;
  if (transport.value?.kind !== 'embedded' && !isForRequests(triedOptions(agent).options)) return;
  report.add('"events" needs request_headers: without it the agent decides about no request', {
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
    report.add(`"${chunk}" needs ${head} in the events: the agent asks for a body after it has seen the head`, {
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
    report.add(`"${value}" has no effect on an embedded agent, which sees only requests`, {
      position: position ?? events.position,
      path: ['agents', `agent "${name.value}"`],
    });
  }
};

/** Requires the body event for single sign-on and token exchange, which read posted forms. */
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

/** Checks the events of an agent against each other and against its config. */
const checkAgentEvents = (agent: ReadAgent, report: ProblemReport): void => {
  if (!agent.fields.events.sound) return;
  requireRequestHead(agent, report);
  requireHeads(agent, report);
  refuseIdleEvents(agent, report);
  requireBodies(agent, report);
};

/** Whether policies may be active. An invalid block counts as active. */
const mayAuthorize = (agent: ReadAgent): boolean => {
  const { authz } = triedOptions(agent).fields;
  if (!authz.given) return false;
  return !authz.sound || authz.value === null || !authz.value.enabled.sound || authz.value.enabled.value;
};

/** Warns about `failure-mode "open"`, and refuses it if policies are active. */
const checkFailureMode = (agent: ReadAgent, report: ProblemReport): void => {
  const { 'failure-mode': mode } = agent.fields;
  if (!mode.sound || mode.value !== 'open') return;
  const place = { position: mode.position, path: ['agents', `agent "${agent.name.value}"`] };
  if (mayAuthorize(agent)) {
    report.add('failure-mode "open" and authz exclude each other: without the agent, forbidden requests would pass', {
      ...place,
      suggestion: 'write failure-mode "closed", or delete it',
    });
    return;
  }
  report.add(`failure-mode "open": if agent "${agent.name.value}" does not answer, requests pass without a decision`, {
    ...place,
    severity: 'warning',
    id: 'agent-fails-open',
  });
};

const requireListener = (gateway: ReadGateway, root: SourcePosition | null, report: ProblemReport): void => {
  if (gateway.listeners.value.listener.given) return;
  report.add('there is no listener', {
    position: gateway.listeners.position ?? root,
    path: [],
    suggestion: 'write listeners { listener "http" { address "127.0.0.1:8080" } }',
  });
};

const requireOwnAddresses = (gateway: ReadGateway, report: ProblemReport): void => {
  const owners = new Map<string, string>();
  const take = (owner: string, address: SocketAddress, position: SourcePosition | null, hidden = false): void => {
    // Port 0 selects a different port each time.
    if (address.port === 0) return;
    const text = socketAddressText(address).toLowerCase();
    const other = owners.get(text);
    if (other !== undefined)
      report.add(`${owner} and ${other} have the same address${hidden ? '' : ` ${text}`}`, {
        position,
        path: [],
      });
    else owners.set(text, owner);
  };
  for (const { name, fields } of listenersOf(gateway)) {
    if (fields.address.sound)
      take(`listener "${name.value}"`, fields.address.value, fields.address.position, fields.address.hidden);
  }
  const admin = gateway.admin.value;
  if (admin?.address.sound === true) {
    take('admin', admin.address.value, admin.address.position ?? gateway.admin.position, admin.address.hidden);
  }
};

const checkAdmin = (gateway: ReadGateway, report: ProblemReport): void => {
  const admin = gateway.admin.value;
  if (admin === null) return;
  const { address, token, 'insecure-no-token': insecure } = admin;
  if (token.given && insecure.sound && insecure.value) {
    report.add('"insecure-no-token" and "token" exclude each other', {
      position: insecure.position,
      path: ['admin'],
    });
  }
  if (!address.sound || isLoopback(address.value.host) || token.given || !insecure.sound || insecure.value) return;
  report.add(
    `admin needs a token: ${address.hidden === true ? 'its address' : socketAddressText(address.value)} is not a loopback address`,
    {
      position: address.position ?? gateway.admin.position,
      path: ['admin'],
      suggestion: 'write token (env)"ADMIN_TOKEN", or use 127.0.0.1',
    },
  );
};

/** Checks keys against each other, and reports all problems. */
export const checkConfiguration = (
  gateway: ReadGateway,
  patternFault: PatternFault,
  root: SourcePosition | null,
  report: ProblemReport,
): void => {
  requireListener(gateway, root, report);
  requireOwnAddresses(gateway, report);
  for (const listener of listenersOf(gateway)) checkListener(listener, report);
  const names = {
    upstreams: upstreamsOf(gateway).map(({ name }) => name.value),
    agents: agentsOf(gateway).map(({ name }) => name.value),
  };
  for (const route of routesOf(gateway)) {
    checkRoute(route, names, patternFault, report);
    checkRoutePolicies(route, gateway.limits.value, report);
  }
  checkRouteRates(gateway, report);
  warnOfOpenRoutes(gateway, report);
  for (const upstream of upstreamsOf(gateway)) checkUpstream(upstream, report);
  warnOfSharedCookies(upstreamsOf(gateway), report);
  checkRateStore(gateway, report);
  checkTracing(gateway, report);
  checkAudit(gateway, report);
  for (const agent of agentsOf(gateway)) {
    checkAgentTransport(agent, report);
    checkAgentEvents(agent, report);
    checkFailureMode(agent, report);
    checkAgentConfig(agent, report);
  }
  requireOneConfigPerEndpoint(agentsOf(gateway), report);
  checkCertificateHeaders(gateway, report);
  checkIdentityHeaders(gateway, report);
  checkHeaderRules(gateway, report);
  warnOfTakenCertificates(gateway, report);
  checkAdmin(gateway, report);
};
