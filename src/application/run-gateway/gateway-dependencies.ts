import type { MemoryGuard } from '../guard-memory/memory-guard.js';
import type { AuditTrail } from '../keep-audit/audit-trail.js';
import type { RateLimiters } from '../limit-rate/rate-limiters.js';
import type { ConfigurationSource } from '../ports/configuration-source.js';
import type { RequestHandler } from '../ports/http-engine.js';
import type { Logger } from '../ports/logger.js';
import type { Random } from '../ports/random.js';
import type { TracerFactory } from '../ports/tracer.js';
import type { StageDependencies } from '../proxy-request/compile-gateway.js';
import type { UpstreamTargetsParts } from '../upstream-targets/upstream-targets.js';
import type { AgentRegistry } from './agent-registry.js';
import type { ListenerRegistry } from './listener-registry.js';
import type { ListenerTlsParts } from './prepare-listener-tls.js';
import type { RunningState } from './running-state.js';

/** What a gateway is made of. */
export interface GatewayDependencies {
  readonly source: ConfigurationSource;
  readonly agents: AgentRegistry;
  readonly listeners: ListenerRegistry;
  readonly listenerTls: ListenerTlsParts;
  readonly state: RunningState;
  readonly stages: StageDependencies;
  readonly upstreamTargets: UpstreamTargetsParts;
  readonly rateLimiters: RateLimiters;
  readonly memory: MemoryGuard;
  readonly createTracer: TracerFactory;
  readonly random: Random;
  readonly proxy: RequestHandler;
  readonly admin: RequestHandler;
  readonly logger: Logger;
  /** Where a load warns: of several processes that load the same, one alone does. */
  readonly loadLogger: Pick<Logger, 'warn'>;
  /** What the instance is called where the configuration does not say. */
  readonly hostName: string;
  readonly audit: AuditTrail;
}
