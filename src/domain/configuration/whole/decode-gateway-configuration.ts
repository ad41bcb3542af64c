import { agentOptionField, agentOptionsShape } from '../../agent/configuration/agent-options-schema.js';
import { inlinePolicyPlace } from '../../agent/configuration/inline-policies.js';
import type { adminShape } from '../../gateway/configuration/admin-schema.js';
import { toAudit } from '../../gateway/configuration/audit-schema.js';
import { defaultPositions, withDefaultPolicies } from '../../gateway/configuration/default-policies.js';
import { toErrorPageFile } from '../../gateway/configuration/error-pages-schema.js';
import type { AdminConfiguration, GatewayConfiguration } from '../../gateway/configuration/gateway-configuration.js';
import { gatewayShape } from '../../gateway/configuration/gateway-schema.js';
import {
  agentsOf,
  defaultPoliciesOf,
  listenersOf,
  namedRateLimitsOf,
  type ReadAgent,
  routesOf,
  upstreamsOf,
} from '../../gateway/configuration/read-gateway.js';
import { toAgent } from '../../gateway/configuration/to-agent.js';
import { toLimits } from '../../gateway/configuration/to-limits.js';
import { toListener } from '../../gateway/configuration/to-listener.js';
import { toNamedRateLimits, toPolicies, toRoute } from '../../gateway/configuration/to-route.js';
import { toTracing } from '../../gateway/configuration/tracing-schema.js';
import { toUpstream } from '../../gateway/configuration/upstream-schema.js';
import type { PatternFault } from '../../gateway/routing/path-pattern.js';
import type { AgentOptionLocator } from '../agent-option-problem.js';
import type { ConfigurationProblem, SourcePosition } from '../configuration-problem.js';
import { type LineLookup, ProblemReport, type TextPlaceLookup } from '../schema/problem-report.js';
import { readMembers } from '../schema/read-block.js';
import type { Fields } from '../schema/schema.js';
import type { Setting } from '../setting/setting.js';
import { advise } from './advice/advise.js';
import { checkConfiguration } from './configuration-rules.js';

const agentOptionLocator =
  (agents: readonly ReadAgent[], lines: LineLookup, places: TextPlaceLookup): AgentOptionLocator =>
  (agent, { option, place, source }) => {
    const settings = agents.find(({ name }) => name.value === agent)?.fields.config.value ?? null;
    if (settings === null || (place?.key === undefined && source === undefined)) return null;
    // Reading the configuration has already reported these problems.
    const report = new ProblemReport(() => null);
    const fields = readMembers(agentOptionsShape, settings, { report, path: [], position: null });
    if (source !== undefined) {
      const inline = inlinePolicyPlace(source.position, fields.authz.value?.['policy-inline'].value ?? [], places);
      return inline === null ? null : { position: inline, line: lines(inline, false) };
    }
    const { position } = agentOptionField(fields, option, place);
    if (position === null) return null;
    return { position, line: place?.isConcealed === true ? null : lines(position, false) };
  };

const toAdmin = (fields: Fields<typeof adminShape>): AdminConfiguration => ({
  address: fields.address.value,
  token: fields.token.value,
  readyRequires: [...new Set(fields['ready-requires'].value.map(({ value }) => value))],
});

/** Inputs of decoding, besides the settings. */
export interface GatewayDecoding {
  readonly patternFault: PatternFault;
  readonly lines: LineLookup;
  /** Absent: positions inside texts are unknown. */
  readonly places?: TextPlaceLookup;
  /** The beginning of the file, which is the position of problems about missing blocks. */
  readonly root: SourcePosition | null;
  /** False if a part was unreadable. Keys are then not checked against each other. */
  readonly isComplete: boolean;
}

export interface DecodedGatewayConfiguration {
  /** Null if there is an error. */
  readonly configuration: GatewayConfiguration | null;
  readonly problems: readonly ConfigurationProblem[];
  /** Locates problems in agent options that only appear after their files are read. */
  readonly locate: AgentOptionLocator;
  /** Advice about a valid but unsafe configuration. Only `config check` asks for it. */
  readonly advise: () => readonly ConfigurationProblem[];
}

/** Reads, completes and checks the configuration of a gateway. Reports all problems. */
export const decodeGatewayConfiguration = (
  settings: readonly Setting[],
  { patternFault, lines, places = () => null, root, isComplete }: GatewayDecoding,
): DecodedGatewayConfiguration => {
  const report = new ProblemReport(lines, places, defaultPositions(settings));
  const gateway = readMembers(gatewayShape, withDefaultPolicies(settings), { report, path: [], position: root });
  if (isComplete) checkConfiguration(gateway, patternFault, root, report);
  const locate = agentOptionLocator(agentsOf(gateway), lines, places);
  if (report.hasErrors || !isComplete)
    return { configuration: null, problems: report.problems, locate, advise: () => [] };
  const system = gateway.system.value;
  const rateLimits = toNamedRateLimits(namedRateLimitsOf(gateway));
  const configuration: GatewayConfiguration = {
    system: {
      instance: system.instance.value,
      gracefulShutdownTimeoutMs: system['graceful-shutdown-timeout-secs'].value,
      shutdownDelayMs: system['shutdown-delay-secs'].value,
      workerThreads: system['worker-threads'].value,
      sockets: system.sockets.value,
    },
    listeners: listenersOf(gateway).map(toListener),
    routes: routesOf(gateway).map((route) => toRoute(route, rateLimits)),
    unrouted: toPolicies(defaultPoliciesOf(gateway), rateLimits),
    upstreams: upstreamsOf(gateway).map(toUpstream),
    agents: agentsOf(gateway).map(toAgent),
    limits: toLimits(gateway.limits.value),
    admin: gateway.admin.value === null ? null : toAdmin(gateway.admin.value),
    tracing: gateway.tracing.value === null ? null : toTracing(gateway.tracing.value),
    audit: gateway.audit.value === null ? null : toAudit(gateway.audit.value),
    errorPageFile: toErrorPageFile(gateway['error-pages'].value),
  };
  return { configuration, problems: report.problems, locate, advise: () => advise(gateway, settings, lines) };
};
