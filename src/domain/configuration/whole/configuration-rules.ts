import { checkAgentTransport } from '../../gateway/configuration/agent-transport-rules.js';
import { checkAudit } from '../../gateway/configuration/audit-rules.js';
import { checkListener } from '../../gateway/configuration/listener-rules.js';
import { warnOfOpenRoutes } from '../../gateway/configuration/open-route-rules.js';
import { checkRoutePolicies } from '../../gateway/configuration/policy-rules.js';
import { checkRateStore } from '../../gateway/configuration/rate-store-rules.js';
import {
  agentsOf,
  listenersOf,
  type ReadGateway,
  routesOf,
  upstreamsOf,
} from '../../gateway/configuration/read-gateway.js';
import { checkRoute, type PatternFault } from '../../gateway/configuration/route-rules.js';
import { requireOneConfigPerPlace } from '../../gateway/configuration/shared-place-rules.js';
import { checkTracing } from '../../gateway/configuration/tracing-rules.js';
import { checkUpstream, warnOfSharedCookies } from '../../gateway/configuration/upstream-rules.js';
import type { SourcePosition } from '../configuration-problem.js';
import type { SocketAddress } from '../network-addresses.js';
import { isLoopback, socketAddressText } from '../schema/network-kinds.js';
import type { ProblemReport } from '../schema/problem-report.js';
import { checkAgentConfig } from './agent-config-rules.js';
import { checkAgentEvents } from './agent-event-rules.js';
import { checkCertificateHeaders } from './certificate-header-rules.js';
import { warnOfTakenCertificates } from './certificate-reader-rules.js';
import { checkFailureMode } from './failure-mode-rules.js';
import { checkIdentityHeaders } from './identity-header-rules.js';

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
    // Port 0 is another port each time.
    if (address.port === 0) return;
    const text = socketAddressText(address).toLowerCase();
    const other = owners.get(text);
    if (other !== undefined)
      report.add(`${owner} has the address ${hidden ? 'that was given' : text}, as ${other} has`, {
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
    report.add('"insecure-no-token" and "token" contradict each other', {
      position: insecure.position,
      path: ['admin'],
    });
  }
  if (!address.sound || isLoopback(address.value.host) || token.given || !insecure.sound || insecure.value) return;
  report.add(
    `admin needs a token: ${address.hidden === true ? 'its address' : socketAddressText(address.value)} is no loopback address`,
    {
      position: address.position ?? gateway.admin.position,
      path: ['admin'],
      suggestion: 'write token (env)"ADMIN_TOKEN", or keep to 127.0.0.1',
    },
  );
};

/** Checks keys against each other. Everything wrong is reported, whatever else is wrong. */
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
  requireOneConfigPerPlace(agentsOf(gateway), report);
  checkCertificateHeaders(gateway, report);
  checkIdentityHeaders(gateway, report);
  warnOfTakenCertificates(gateway, report);
  checkAdmin(gateway, report);
};
