import { AgentGrpcServer } from '../../adapters/inbound/agent-grpc/agent-grpc-server.js';
import { AgentGrpcError } from '../../adapters/inbound/agent-grpc/bind-address.js';
import { AgentMetricsServer } from '../../adapters/inbound/agent-metrics-http/agent-metrics-server.js';
import { AgentUnixSocketServer } from '../../adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import { AgentSocketError, bindSocketPath } from '../../adapters/inbound/agent-unix-socket/bind-socket-path.js';
import { PrometheusAgentExposition } from '../../adapters/outbound/prometheus-metrics/prometheus-agent-exposition.js';
import { SocketLayerSelector } from '../../adapters/stream-sockets/socket-layer-selector.js';
import type { AgentService } from '../../application/ports/agent/agent-service.js';
import type { Clock } from '../../application/ports/shared/clock.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { Scheduler } from '../../application/ports/shared/scheduler.js';
import type { SocketLayerName } from '../../application/ports/shared/socket-layer-choice.js';
import type { GrpcAddress, SocketAddress } from '../../domain/configuration/network-addresses.js';
import { loadAgentGrpc } from '../shared/load-agent-grpc.js';
import type { GrpcServingTls } from './grpc-serving-tls.js';

/** The addresses to listen on; null: do not listen. */
export interface AgentListenAddresses {
  /** Path of a Unix socket. */
  readonly socket: string | null;
  readonly grpc: { readonly address: GrpcAddress; readonly tls: GrpcServingTls | null } | null;
  readonly metrics: SocketAddress | null;
}

/** The addresses in use, as clients write them. */
export interface AgentAddresses {
  readonly socket: string | null;
  readonly grpc: string | null;
  readonly metrics: SocketAddress | null;
}

export interface ServedAgentService {
  readonly addresses: AgentAddresses;
  /** Refuses new connections, finishes calls in flight within the grace, and closes. */
  drain(graceMs: number): Promise<void>;
  /**
   * Checks a new TLS configuration of gRPC. Returns a function that applies it to new connections.
   * Throws an AgentGrpcError if it is unusable, or if gRPC is not served with TLS.
   */
  prepareGrpcTls(tls: GrpcServingTls): () => void;
}

/** The ports of the servers. */
export interface AgentServiceParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** The socket layer of the Unix socket. Default: `auto`. */
  readonly sockets?: SocketLayerName;
}

interface Server {
  drain(graceMs: number): Promise<void>;
}

/** Chooses the layer. Rejects with an AgentSocketError if `native` is not available. */
const openLayers = async (wanted: SocketLayerName, logger: Logger): Promise<SocketLayerSelector> => {
  const layers = new SocketLayerSelector();
  const chosen = await layers.choose(wanted);
  if (!chosen.ok) throw new AgentSocketError('failed', `sockets native: ${chosen.error}`);
  if (chosen.value !== null) {
    logger.warn('connections use node:net, which costs more CPU', { reason: chosen.value });
  }
  return layers;
};

/**
 * Serves an agent on all its addresses, or on none. If one is unavailable, rejects with an
 * AgentSocketError, an AgentGrpcError or a MetricsAddressError.
 */
export const serveAgentService = async (
  service: AgentService,
  listenAddresses: AgentListenAddresses,
  intervals: { readonly healthIntervalMs: number; readonly metricsIntervalMs: number },
  { clock, scheduler, logger, sockets = 'auto' }: AgentServiceParts,
): Promise<ServedAgentService> => {
  const servers: Server[] = [];
  const drain = async (graceMs: number): Promise<void> => {
    await Promise.all(servers.map((server) => server.drain(graceMs)));
  };
  try {
    if (listenAddresses.socket !== null) {
      const parts = { clock, scheduler, logger, layers: await openLayers(sockets, logger) };
      const server = new AgentUnixSocketServer(listenAddresses.socket, service, parts, intervals);
      await server.listen();
      servers.push(server);
    }
    let grpc: string | null = null;
    let grpcServer: AgentGrpcServer | null = null;
    if (listenAddresses.grpc !== null) {
      const { address, tls } = listenAddresses.grpc;
      const server = new AgentGrpcServer(
        { address, tls },
        service,
        { loadGrpc: loadAgentGrpc, bindSocketPath, clock, scheduler, logger },
        intervals,
      );
      grpc = await server.listen();
      grpcServer = server;
      servers.push(server);
    }
    let metrics: SocketAddress | null = null;
    if (listenAddresses.metrics !== null) {
      const page = new PrometheusAgentExposition(() => service.metrics());
      const server = new AgentMetricsServer(listenAddresses.metrics, page, logger);
      metrics = await server.listen();
      servers.push({ drain: () => server.close() });
    }
    const prepareGrpcTls = (tls: GrpcServingTls): (() => void) => {
      if (grpcServer === null) throw new AgentGrpcError('failed', 'gRPC is not served');
      return grpcServer.prepareTls(tls);
    };
    return { addresses: { socket: listenAddresses.socket, grpc, metrics }, drain, prepareGrpcTls };
  } catch (error) {
    await drain(0);
    throw error;
  }
};
