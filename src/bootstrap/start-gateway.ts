import { resolve } from 'node:path';
import { Container } from 'inversify';
import type { AccessLog } from '../application/ports/access-log.js';
import type { ConfigurationSource } from '../application/ports/configuration-source.js';
import type { Logger } from '../application/ports/logger.js';
import type { ListeningAddresses, LoadFailure } from '../application/run-gateway/gateway.js';
import { ok, type Result } from '../domain/shared/result.js';
import { agentModule } from './agent-module.js';
import { gatewayAdaptersModule } from './gateway-adapters-module.js';
import { gatewayModule } from './gateway-module.js';
import { gatewayTokens } from './gateway-tokens.js';
import { sharedTokens } from './shared-tokens.js';

/** Where a gateway writes what happens. */
export interface GatewayLogs {
  readonly logger: Logger;
  readonly accessLog: AccessLog;
  droppedAccessLines(): number;
}

/** A gateway that serves. */
export interface RunningGateway {
  readonly addresses: ListeningAddresses;
  /** Brings the configuration into force as it is now; any error changes nothing. */
  reload(): Promise<Result<void, LoadFailure>>;
  /** Drains and closes. The grace is that of the configuration where none is given. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Everything that the gateway's process is made of; `configFile` is where the source reads. Tests rebind the one part that
 * they swap.
 */
export const gatewayContainer = (configFile: string, source: ConfigurationSource, logs: GatewayLogs): Container => {
  const container = new Container();
  container.load(gatewayAdaptersModule, agentModule, gatewayModule);
  container.bind(sharedTokens.logger).toConstantValue(logs.logger);
  container.bind(gatewayTokens.accessLog).toConstantValue(logs.accessLog);
  container.bind(gatewayTokens.droppedAccessLines).toConstantValue(() => logs.droppedAccessLines());
  container.bind(gatewayTokens.configFile).toConstantValue(resolve(configFile));
  container.bind(gatewayTokens.source).toConstantValue(source);
  return container;
};

/** Loads the configuration and serves it. */
export const startGateway = async (container: Container): Promise<Result<RunningGateway, LoadFailure>> => {
  const gateway = container.get(gatewayTokens.gateway);
  const state = container.get(gatewayTokens.state);
  const started = await gateway.start();
  if (!started.ok) return started;
  return ok({
    addresses: started.value,
    reload: () => gateway.reload(),
    stop: (graceMs) => gateway.stop(graceMs ?? state.configuration().system.gracefulShutdownTimeoutMs),
  });
};
