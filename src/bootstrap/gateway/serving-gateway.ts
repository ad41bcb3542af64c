import type { ReloadRequests } from '../../application/gateway/workers/aggregate/gathering-topics.js';
import type { TargetName } from '../../application/ports/gateway/gateway-state.js';
import type { RunningGateway } from './start-gateway.js';

/** A gateway that serves, in one process or several, and who brings reloads about. */
export interface ServingGateway {
  readonly gateway: RunningGateway;
  /** Those that come by the admin address. */
  readonly reloadRequests: ReloadRequests;
  /** Reloads that have taken effect. */
  reloadCount(): number;
  /** As the admin endpoints do; a target that is not there is none of the gateway's. */
  drainTarget(target: TargetName, drained: boolean): Promise<unknown>;
}
