import type { ReloadRequests } from '../../application/gateway/workers/aggregate/gathering-topics.js';
import type { TargetName } from '../../application/ports/gateway/gateway-state.js';
import type { RunningGateway } from './start-gateway.js';

/** A running gateway, in one process or several, and its reload requests. */
export interface ServingGateway {
  readonly gateway: RunningGateway;
  /** Reload requests from the admin address. */
  readonly reloadRequests: ReloadRequests;
  /** Number of applied reloads. */
  reloadCount(): number;
  /** Drains or undrains a target like the admin endpoints; ignores unknown targets. */
  drainTarget(target: TargetName, drained: boolean): Promise<unknown>;
}
