import {
  type AgentGrpcConfiguration,
  AgentGrpcServer,
} from '../../../src/adapters/inbound/agent-grpc/agent-grpc-server.js';
import type { GrpcServerOptions } from '../../../src/adapters/inbound/agent-grpc/grpc-server-options.js';
import { bindSocketPath } from '../../../src/adapters/inbound/agent-unix-socket/bind-socket-path.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { AgentService } from '../../../src/application/ports/agent/agent-service.js';
import type { Logger } from '../../../src/application/ports/shared/logger.js';
import { loadAgentGrpc } from '../../../src/bootstrap/shared/load-agent-grpc.js';
import { RecordingLogger } from './recording-logger.js';

/** A free port of this machine, in plaintext. */
export const localPort: AgentGrpcConfiguration = { address: { kind: 'tcp', host: '127.0.0.1', port: 0 }, tls: null };

/** A server made of the adapters of the program. */
export const grpcServer = (
  service: AgentService,
  settings: AgentGrpcConfiguration = localPort,
  options: Partial<GrpcServerOptions> = {},
  logger: Logger = new RecordingLogger(),
): AgentGrpcServer =>
  new AgentGrpcServer(
    settings,
    service,
    { loadGrpc: loadAgentGrpc, bindSocketPath, clock: new SystemClock(), scheduler: new NodeScheduler(), logger },
    options,
  );
