import { isUpstreamHealthy } from '../../../domain/gateway/status/upstream-health.js';
import type { GatewayState, UpstreamStatus } from '../../ports/gateway/gateway-state.js';
import { type AgentReadiness, agentsReadiness, isAbsent } from './agents-report.js';

/** Body of /ready: whether a balancer should send requests here. */
export interface ReadinessReport {
  readonly ready: boolean;
  /** Why not; absent where ready. */
  readonly reasons?: readonly string[];
  readonly unhealthy_upstreams: readonly string[];
  readonly absent_agents: readonly string[];
  /** By name. */
  readonly agents: Readonly<Record<string, AgentReadiness>>;
}

const isDown = (upstream: UpstreamStatus): boolean => !isUpstreamHealthy(upstream.targets);

/**
 * A broken back end must not take every gateway out of its balancer: upstreams and agents are listed, and count only
 * where `ready-requires` says so. An agent in
 * this process that is still getting ready is part of the gateway's own start.
 */
export const readinessReport = (state: GatewayState): ReadinessReport => {
  const requires = state.configuration().admin?.readyRequires ?? [];
  const phase = state.phase();
  const unhealthyUpstreams = state
    .upstreams()
    .filter(isDown)
    .map((upstream) => upstream.name);
  const agents = state.agents();
  const absentAgents = agents.filter(isAbsent).map((agent) => agent.name);

  // Of one that is replaced its addresses are ready: a balancer that asks on a kept connection has nothing to take out.
  const reasons: string[] = phase === 'running' || phase === 'replaced' ? [] : [phase];
  if (state.memoryLimit()?.isShort === true) reasons.push('over the memory limit');
  for (const { name, isStarting } of agents) if (isStarting) reasons.push(`agent ${name} is starting`);
  if (requires.includes('upstreams'))
    reasons.push(...unhealthyUpstreams.map((name) => `upstream ${name} is unhealthy`));
  if (requires.includes('agents')) reasons.push(...absentAgents.map((name) => `agent ${name} is absent`));

  const listed = {
    unhealthy_upstreams: unhealthyUpstreams,
    absent_agents: absentAgents,
    agents: agentsReadiness(agents),
  };
  return reasons.length === 0 ? { ready: true, ...listed } : { ready: false, reasons, ...listed };
};
