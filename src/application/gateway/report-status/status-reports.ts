import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { BuiltinHandler } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { dispensableUpstreams } from '../../../domain/gateway/configuration/route-upstreams.js';
import { agentProtocolVersions, configurationFormatVersion } from '../../../domain/gateway/status/format-versions.js';
import { isUpstreamHealthy } from '../../../domain/gateway/status/upstream-health.js';
import type { GatewayCluster } from '../../ports/gateway/gateway-cluster.js';
import type {
  GatewayPhase,
  GatewayState,
  ProgramIdentity,
  TargetStatus,
  UpstreamStatus,
} from '../../ports/gateway/gateway-state.js';
import type { Clock } from '../../ports/shared/clock.js';
import {
  type AdminAnswer,
  jsonAnswer,
  supervisorUnavailable,
  textAnswer,
} from '../../shared/administration/admin-answer.js';
import { type AgentReadiness, agentsReadiness, isAbsent } from './agents-report.js';
import { routesReport } from './routes-report.js';
import { statsReport } from './stats-report.js';

/** The state of the gateway in one word. */
type GatewayHealth = 'starting' | 'healthy' | 'draining';

const healthByPhase: Readonly<Record<GatewayPhase, GatewayHealth>> = {
  starting: 'starting',
  running: 'healthy',
  replaced: 'draining',
  draining: 'draining',
};

const gatewayHealth = (phase: GatewayPhase): GatewayHealth => healthByPhase[phase];

/** Body of /health, which is always a 200: the process lives. */
const healthReport = (phase: GatewayPhase): { readonly status: GatewayHealth } => ({
  status: gatewayHealth(phase),
});

/** ISO 8601 in UTC, with milliseconds. */
const timestamp = (wallMs: number): string => new Date(wallMs).toISOString();

interface TargetReport {
  readonly address: string;
  /** The configured name; absent: it is the address. */
  readonly name?: string;
  readonly healthy: boolean;
  readonly drained: boolean;
  readonly weight: number;
  /** Absent: the target has none. */
  readonly circuit_breaker?: CircuitState;
  readonly active_connections: number;
  readonly total_requests: number;
  readonly failed_requests: number;
  readonly last_error?: string;
  readonly unhealthy_since?: string;
}

/** Body of /admin/upstreams. */
interface UpstreamsReport {
  readonly upstreams: Readonly<
    Record<string, { readonly healthy: boolean; readonly targets: readonly TargetReport[] }>
  >;
}

const targetReport = (target: TargetStatus): TargetReport => ({
  address: target.address,
  ...(target.name === null ? {} : { name: target.name }),
  healthy: target.healthy,
  drained: target.drained,
  weight: target.weight,
  ...(target.breaker === null ? {} : { circuit_breaker: target.breaker }),
  active_connections: target.activeConnections,
  total_requests: target.totalRequests,
  failed_requests: target.failedRequests,
  ...(target.healthy || target.lastError === null ? {} : { last_error: target.lastError }),
  ...(target.healthy || target.unhealthySinceMs === null
    ? {}
    : { unhealthy_since: timestamp(target.unhealthySinceMs) }),
});

export const upstreamsReport = (upstreams: readonly UpstreamStatus[]): UpstreamsReport => ({
  // fromEntries defines its members, so an upstream named `__proto__` works like any other.
  upstreams: Object.fromEntries(
    upstreams.map(({ name, targets }) => [
      name,
      { healthy: isUpstreamHealthy(targets), targets: targets.map(targetReport) },
    ]),
  ),
});

/** Body of /ready: whether a balancer should send requests here. */
interface ReadinessReport {
  readonly ready: boolean;
  /** The reasons against; absent: it is ready. */
  readonly reasons?: readonly string[];
  readonly unhealthy_upstreams: readonly string[];
  readonly absent_agents: readonly string[];
  /** By name. */
  readonly agents: Readonly<Record<string, AgentReadiness>>;
}

const isDown = (upstream: UpstreamStatus): boolean => !isUpstreamHealthy(upstream.targets);

/**
 * Upstreams and agents are listed, but count only if `ready-requires` names them: a broken upstream must not make every
 * gateway unready. An embedded agent that is starting counts, because it is part of the gateway's start.
 */
const readinessReport = (state: GatewayState): ReadinessReport => {
  const requires = state.configuration().admin?.readyRequires ?? [];
  const phase = state.phase();
  const unhealthyUpstreams = state
    .upstreams()
    .filter(isDown)
    .map((upstream) => upstream.name);
  const agents = state.agents();
  const absentAgents = agents.filter(isAbsent).map((agent) => agent.name);

  // After a replacement the addresses are still served, so a balancer that asks on a kept connection gets "ready".
  const reasons: string[] = phase === 'running' || phase === 'replaced' ? [] : [phase];
  if (state.memoryLimit()?.isShort === true) reasons.push('over the memory limit');
  for (const { name, isStarting } of agents) if (isStarting) reasons.push(`agent ${name} is starting`);
  if (requires.includes('upstreams')) {
    const dispensable = dispensableUpstreams(state.configuration());
    const required = unhealthyUpstreams.filter((name) => !dispensable.has(name));
    reasons.push(...required.map((name) => `upstream ${name} is unhealthy`));
  }
  if (requires.includes('agents')) reasons.push(...absentAgents.map((name) => `agent ${name} is absent`));

  const listed = {
    unhealthy_upstreams: unhealthyUpstreams,
    absent_agents: absentAgents,
    agents: agentsReadiness(agents),
  };
  return reasons.length === 0 ? { ready: true, ...listed } : { ready: false, reasons, ...listed };
};

/** Body of /status. */
interface StatusReport {
  readonly status: GatewayHealth;
  readonly version: string;
  readonly uptime_seconds: number;
  readonly start_time: string;
  readonly config_reload_count: number;
  /** The load time of the configuration in force; before the first reload, the start. */
  readonly last_config_reload: string;
}

const statusReport = (state: GatewayState, nowMs: number): StatusReport => {
  const { identity } = state;
  const reloads = state.reloads();
  return {
    status: gatewayHealth(state.phase()),
    version: identity.version,
    // The wall clock can be set back, but an uptime must not be negative.
    uptime_seconds: Math.max(0, Math.floor((nowMs - identity.startedAtMs) / 1000)),
    start_time: timestamp(identity.startedAtMs),
    config_reload_count: reloads.count,
    last_config_reload: timestamp(reloads.lastLoadMs),
  };
};

/** Body of /admin/version. */
interface VersionReport {
  readonly name: string;
  readonly version: string;
  /** Versions of the agent protocol that the gateway speaks. */
  readonly protocol_versions: readonly number[];
  readonly node_version: string;
  readonly config_format_version: number;
  /** Null: the commit is unknown. */
  readonly build_commit: string | null;
  /** What carries plain TCP connections: `native` or `node`. */
  readonly socket_layer: string;
}

const versionReport = (identity: ProgramIdentity): VersionReport => ({
  name: identity.name,
  version: identity.version,
  protocol_versions: agentProtocolVersions,
  node_version: identity.nodeVersion,
  config_format_version: configurationFormatVersion,
  build_commit: identity.buildCommit,
  socket_layer: identity.socketLayer,
});

/**
 * The bodies of the built-in endpoints, on the admin address or on a route. /health, /ready, /status, /admin/version
 * and /admin/routes come from the worker that is asked. Other figures cover all workers.
 */
export class StatusReports {
  readonly #state: GatewayState;
  readonly #cluster: GatewayCluster;
  readonly #clock: Clock;

  /** @param state the state of this process */
  constructor(state: GatewayState, cluster: GatewayCluster, clock: Clock) {
    this.#state = state;
    this.#cluster = cluster;
    this.#clock = clock;
  }

  async report(handler: BuiltinHandler, correlationId: string): Promise<AdminAnswer> {
    switch (handler) {
      case 'health':
        return jsonAnswer(200, healthReport(this.#state.phase()));
      case 'ready': {
        const readiness = readinessReport(this.#state);
        return jsonAnswer(readiness.ready ? 200 : 503, readiness);
      }
      case 'status':
        return jsonAnswer(200, statusReport(this.#state, this.#clock.wallMs()));
      case 'metrics': {
        const metrics = await this.#cluster.metrics();
        if (metrics === null) return supervisorUnavailable(correlationId);
        return textAnswer(metrics.contentType, metrics.text);
      }
      case 'upstreams':
        return jsonAnswer(200, upstreamsReport((await this.#cluster.snapshot()).upstreams));
      case 'version':
        return jsonAnswer(200, versionReport(this.#state.identity));
      case 'routes':
        return jsonAnswer(200, routesReport(this.#state.routesInOrder()));
      case 'stats':
        return jsonAnswer(200, statsReport(await this.#cluster.snapshot()));
    }
  }
}
