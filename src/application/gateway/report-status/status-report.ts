import type { GatewayState } from '../../ports/gateway/gateway-state.js';
import { type GatewayHealth, gatewayHealth } from './health-report.js';
import { timestamp } from './timestamp.js';

/** Body of /status. */
export interface StatusReport {
  readonly status: GatewayHealth;
  readonly version: string;
  readonly uptime_seconds: number;
  readonly start_time: string;
  readonly config_reload_count: number;
  /** When the configuration in force was loaded: the start, until there was a reload. */
  readonly last_config_reload: string;
}

export const statusReport = (state: GatewayState, nowMs: number): StatusReport => {
  const { identity } = state;
  const reloads = state.reloads();
  return {
    status: gatewayHealth(state.phase()),
    version: identity.version,
    // The wall clock can be set back; an uptime cannot be negative.
    uptime_seconds: Math.max(0, Math.floor((nowMs - identity.startedAtMs) / 1000)),
    start_time: timestamp(identity.startedAtMs),
    config_reload_count: reloads.count,
    last_config_reload: timestamp(reloads.lastLoadMs),
  };
};
