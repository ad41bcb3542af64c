import type { AgentHealth } from '../../../../domain/agent-protocol/health.js';
import type { AgentStatus } from '../../../ports/gateway/agent-client.js';
import type { GatewaySnapshot } from '../../../ports/gateway/gateway-cluster.js';
import type { GatewayState } from '../../../ports/gateway/gateway-state.js';

/** An agent may send any text, and many. */
const maximumText = 500;
const maximumFeatures = 32;

const bounded = (text: string): string => text.slice(0, maximumText);

const boundedHealth = (health: AgentHealth): AgentHealth => ({
  ...health,
  message: health.message === null ? null : bounded(health.message),
  disabledFeatures: health.disabledFeatures.slice(0, maximumFeatures).map(bounded),
});

const boundedAgent = (agent: AgentStatus): AgentStatus => ({
  ...agent,
  refusal: agent.refusal === null ? null : bounded(agent.refusal),
  health: agent.health === null ? null : boundedHealth(agent.health),
});

/** What the process of this state is doing now. */
export const snapshotOf = (state: GatewayState): GatewaySnapshot => ({
  phase: state.phase(),
  reloads: state.reloads(),
  connections: state.connections(),
  requestsInFlight: state.requestsInFlight(),
  requestsInFlightByRoute: state.requestsInFlightByRoute(),
  requestsQueued: state.requestsQueued(),
  agents: state.agents().map(boundedAgent),
  upstreams: state.upstreams(),
  workers: state.workers(),
  routeBreakers: state.routeBreakers(),
  rateLimiterKeys: state.rateLimiterKeys(),
  isRateLimitStoreUp: state.isRateLimitStoreUp(),
  memoryLimit: state.memoryLimit(),
  supervisor: null,
  restarts: [],
  missingWorkers: [],
  isPartial: false,
});
