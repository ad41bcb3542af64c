import type { LoadFailure } from '../../application/gateway/run-gateway/prepared-reload.js';
import { TicketKeyRotation } from '../../application/gateway/workers/share-ticket-keys/ticket-key-rotation.js';
import type { ConfigurationSource } from '../../application/ports/gateway/configuration-source.js';
import type { TargetName } from '../../application/ports/gateway/gateway-state.js';
import type { ListeningSockets } from '../../application/ports/gateway/listening-sockets.js';
import { ok, type Result } from '../../domain/shared/result.js';
import { sharedTokens } from '../shared/shared-tokens.js';
import { gatewayTokens } from './gateway-tokens.js';
import type { ServingGateway } from './serving-gateway.js';
import { type GatewayLogs, gatewayContainer, startGateway } from './start-gateway.js';

/** Options to start a gateway in one process. */
export interface SingleGatewayStart {
  readonly configFile: string;
  readonly source: ConfigurationSource;
  readonly logs: GatewayLogs;
  readonly sockets: ListeningSockets;
  /** Targets drained by the predecessor. */
  readonly drainedTargets: readonly TargetName[];
}

/** Starts a gateway in this process only. */
export const singleGateway = async (start: SingleGatewayStart): Promise<Result<ServingGateway, LoadFailure>> => {
  const container = gatewayContainer(start.configFile, start.source, start.logs);
  container.rebind(gatewayTokens.listeningSockets).toConstantValue(start.sockets);
  const engine = container.get(gatewayTokens.engine);
  const [random, scheduler] = [container.get(sharedTokens.random), container.get(sharedTokens.scheduler)];
  const rotation = new TicketKeyRotation(random, scheduler, (keys) => engine.useTicketKeys(keys));
  engine.useTicketKeys(rotation.keys);
  const started = await startGateway(container, start.drainedTargets);
  if (!started.ok) return started;
  const state = container.get(gatewayTokens.state);
  return ok({
    gateway: started.value,
    reloadRequests: container.get(gatewayTokens.reloadRequests),
    reloadCount: () => state.reloads().count,
    drainTarget: async ({ upstream, address }, drained) => state.drainTarget(upstream, address, drained),
  });
};
