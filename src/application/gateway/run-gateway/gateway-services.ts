import type { ConfigurationSource } from '../../ports/gateway/configuration-source.js';
import type { RequestHandler } from '../../ports/gateway/http-engine.js';
import type { TracerFactory } from '../../ports/gateway/tracer.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { SocketLayerChoice } from '../../ports/shared/socket-layer-choice.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { UpstreamTargetsEnvironment } from '../choose-upstream/upstream-targets.js';
import type { MemoryGuard } from '../guard-resources/memory-guard.js';
import type { RateLimiterPool } from '../limit-rate/rate-limiter-pool.js';
import type { StageServices } from '../proxy-request/compile-gateway.js';
import type { AgentRegistry } from './agent-registry.js';
import type { AgentCertificateReaders } from './certificates-in-use.js';
import type { ListenerRegistry } from './listener-registry.js';
import type { ListenerTlsReaders } from './prepare-listener-tls.js';
import type { UpstreamTlsReaders } from './prepare-upstream-tls.js';
import type { RunningState } from './running-state.js';

/** The services of `Gateway`. */
export interface GatewayServices {
  readonly source: ConfigurationSource;
  readonly agents: AgentRegistry;
  readonly listeners: ListenerRegistry;
  readonly listenerTls: ListenerTlsReaders;
  readonly upstreamTls: UpstreamTlsReaders;
  readonly agentCertificates: AgentCertificateReaders;
  readonly files: TextFileReader;
  readonly socketLayers: SocketLayerChoice;
  readonly state: RunningState;
  readonly stages: StageServices;
  readonly upstreamTargets: UpstreamTargetsEnvironment;
  readonly rateLimiters: RateLimiterPool;
  readonly memory: MemoryGuard;
  readonly createTracer: TracerFactory;
  readonly random: Random;
  readonly proxy: RequestHandler;
  readonly admin: RequestHandler;
  readonly logger: Logger;
  /** Logs the warnings of a load. With several workers, only one of them logs these. */
  readonly loadLogger: Pick<Logger, 'warn'>;
  /** The instance name if the configuration sets none. */
  readonly hostName: string;
  readonly audit: AuditTrail;
}
