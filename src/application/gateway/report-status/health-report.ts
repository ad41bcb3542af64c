import type { GatewayPhase } from '../../ports/gateway/gateway-state.js';

/** One word for how the gateway is. A gateway that drains is well: it finishes what it has. */
export type GatewayHealth = 'starting' | 'healthy' | 'draining';

const healthByPhase: Readonly<Record<GatewayPhase, GatewayHealth>> = {
  starting: 'starting',
  running: 'healthy',
  replaced: 'draining',
  draining: 'draining',
};

export const gatewayHealth = (phase: GatewayPhase): GatewayHealth => healthByPhase[phase];

/** Body of /health: that the process lives. Always a 200. */
export const healthReport = (phase: GatewayPhase): { readonly status: GatewayHealth } => ({
  status: gatewayHealth(phase),
});
