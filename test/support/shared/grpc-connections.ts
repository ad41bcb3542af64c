import { GrpcAgentConnector } from '../../../src/adapters/outbound/agent-grpc-client/grpc-agent-connector.js';
import type {
  GrpcConnectorConfiguration,
  GrpcConnectorOptions,
} from '../../../src/adapters/outbound/agent-grpc-client/grpc-client-options.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { NodeTextFileReader } from '../../../src/adapters/outbound/node-text-files/node-text-file-reader.js';
import type { AgentConnection } from '../../../src/application/ports/gateway/agent-connector.js';
import { loadAgentGrpc } from '../../../src/bootstrap/shared/load-agent-grpc.js';
import type { GrpcAddress } from '../../../src/domain/configuration/network-addresses.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { ConnectionRecord } from '../gateway/connection-record.js';

/** A connector in plaintext unless the settings say otherwise. */
export const grpcConnector = (
  address: GrpcAddress,
  settings: Partial<GrpcConnectorConfiguration> = {},
  options: Partial<GrpcConnectorOptions> = {},
): GrpcAgentConnector =>
  new GrpcAgentConnector(
    { address, owner: null, tls: null, proxyId: 'gateway-1', proxyVersion: '0.1.0', ...settings },
    {
      loadGrpc: loadAgentGrpc,
      files: new NodeTextFileReader(),
      clock: new SystemClock(),
      scheduler: new NodeScheduler(),
    },
    options,
  );

/** Connects, and keeps what the connection tells. */
export const connectRecorded = (
  connector: GrpcAgentConnector,
  config: JsonObject | null = null,
): { readonly connection: AgentConnection; readonly told: ConnectionRecord } => {
  const told = new ConnectionRecord();
  return { connection: connector.connect(config, told), told };
};
