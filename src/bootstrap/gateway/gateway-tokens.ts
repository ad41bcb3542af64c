import type { ServiceIdentifier } from 'inversify';
import type { SocketLayerSelector } from '../../adapters/stream-sockets/socket-layer-selector.js';
import type { ConnectionRefusalCounter } from '../../application/gateway/admit/connection-refusal-counter.js';
import type { RequestAdmissions } from '../../application/gateway/admit/request-admissions.js';
import type { AgentReports } from '../../application/gateway/ask-agents/reports/agent-reports.js';
import type { AuditTrail } from '../../application/gateway/audit/audit-trail.js';
import type { UpstreamTargetsEnvironment } from '../../application/gateway/choose-upstream/upstream-targets.js';
import type { RouteBreakers } from '../../application/gateway/circuit-breakers/route-breakers.js';
import type { DescriptorGuard } from '../../application/gateway/guard-resources/descriptor-guard.js';
import type { MemoryGuard } from '../../application/gateway/guard-resources/memory-guard.js';
import type { RateLimiterPool } from '../../application/gateway/limit-rate/rate-limiter-pool.js';
import type { ProblemAnswerer } from '../../application/gateway/proxy-request/answer-problem.js';
import type { StageServices } from '../../application/gateway/proxy-request/compile-gateway.js';
import type { ProxyRequest } from '../../application/gateway/proxy-request/proxy-request.js';
import type { AdminRequests } from '../../application/gateway/report-status/admin-requests.js';
import type { AnswerAdmin } from '../../application/gateway/report-status/answer-admin.js';
import type { StatusReports } from '../../application/gateway/report-status/status-reports.js';
import type { AgentRegistry } from '../../application/gateway/run-gateway/agent-registry.js';
import type { AgentCertificateReaders } from '../../application/gateway/run-gateway/certificates-in-use.js';
import type { Gateway } from '../../application/gateway/run-gateway/gateway.js';
import type { ListenerRegistry } from '../../application/gateway/run-gateway/listener-registry.js';
import type { ListenerTlsReaders } from '../../application/gateway/run-gateway/prepare-listener-tls.js';
import type { UpstreamTlsReaders } from '../../application/gateway/run-gateway/prepare-upstream-tls.js';
import type { InitialWorkerState, RunningState } from '../../application/gateway/run-gateway/running-state.js';
import type { ReloadRequests } from '../../application/gateway/workers/aggregate/gathering-topics.js';
import type { AccessLog } from '../../application/ports/gateway/access-log.js';
import type { AgentClientFactory } from '../../application/ports/gateway/agent-client.js';
import type { AuditLogOpener } from '../../application/ports/gateway/audit-log-opener.js';
import type { BodyCompressor } from '../../application/ports/gateway/body-compressor.js';
import type { BodyInflater } from '../../application/ports/gateway/body-inflater.js';
import type { ConfigurationSource } from '../../application/ports/gateway/configuration-source.js';
import type { GatewayCluster } from '../../application/ports/gateway/gateway-cluster.js';
import type { GatewayMetrics, MetricsExposition } from '../../application/ports/gateway/gateway-metrics.js';
import type { ProgramIdentity } from '../../application/ports/gateway/gateway-state.js';
import type { HealthProber } from '../../application/ports/gateway/health-prober.js';
import type { HostResolver } from '../../application/ports/gateway/host-resolver.js';
import type { HttpEngine } from '../../application/ports/gateway/http-engine.js';
import type { ListeningSockets } from '../../application/ports/gateway/listening-sockets.js';
import type { PermitBook } from '../../application/ports/gateway/permits.js';
import type {
  DescriptorFigures,
  MemoryReclaimer,
  ProcessFigures,
} from '../../application/ports/gateway/process-figures.js';
import type { TracerFactory } from '../../application/ports/gateway/tracer.js';
import type { TargetClientFactory } from '../../application/ports/gateway/upstream-client.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { RateLimitStore, SharedRateLimitStoreOpener } from '../../application/ports/shared/rate-limit-store.js';
import type { SecretComparer, SecretDigest } from '../../application/ports/shared/secret-digest.js';
import type { TextFileReader } from '../../application/ports/shared/text-file-reader.js';
import type { PathPatternCompiler } from '../../domain/gateway/routing/path-pattern.js';

/** Inversify tokens of the gateway. */
export const gatewayTokens = {
  identity: Symbol('ProgramIdentity') as ServiceIdentifier<ProgramIdentity>,
  hostName: Symbol('hostName') as ServiceIdentifier<string>,
  /** Path of the configuration file, resolved. */
  configFile: Symbol('configFile') as ServiceIdentifier<string>,
  /** The gateway's identity for agents. */
  proxyId: Symbol('proxyId') as ServiceIdentifier<string>,
  source: Symbol('ConfigurationSource') as ServiceIdentifier<ConfigurationSource>,
  accessLog: Symbol('AccessLog') as ServiceIdentifier<AccessLog>,
  droppedAccessLines: Symbol('droppedAccessLines') as ServiceIdentifier<() => number>,
  openAuditLog: Symbol('AuditLogOpener') as ServiceIdentifier<AuditLogOpener>,
  audit: Symbol('AuditTrail') as ServiceIdentifier<AuditTrail>,
  /** Listening sockets: bound here, inherited, or from another process. */
  listeningSockets: Symbol('ListeningSockets') as ServiceIdentifier<ListeningSockets>,
  socketLayers: Symbol('SocketLayerSelector') as ServiceIdentifier<SocketLayerSelector>,
  engine: Symbol('HttpEngine') as ServiceIdentifier<HttpEngine>,
  /** Reads the files that the gateway's own configuration refers to. */
  textFiles: Symbol('TextFileReader') as ServiceIdentifier<TextFileReader>,
  listenerTls: Symbol('ListenerTlsReaders') as ServiceIdentifier<ListenerTlsReaders>,
  upstreamTls: Symbol('UpstreamTlsReaders') as ServiceIdentifier<UpstreamTlsReaders>,
  agentCertificates: Symbol('AgentCertificateReaders') as ServiceIdentifier<AgentCertificateReaders>,
  figures: Symbol('ProcessFigures') as ServiceIdentifier<ProcessFigures>,
  metrics: Symbol('GatewayMetrics') as ServiceIdentifier<GatewayMetrics & MetricsExposition>,
  /** Sample names that agents cannot use. */
  ownSampleNames: Symbol('ownSampleNames') as ServiceIdentifier<ReadonlySet<string>>,
  pathPatterns: Symbol('PathPatternCompiler') as ServiceIdentifier<PathPatternCompiler>,
  createTargetClient: Symbol('TargetClientFactory') as ServiceIdentifier<TargetClientFactory>,
  resolver: Symbol('HostResolver') as ServiceIdentifier<HostResolver>,
  prober: Symbol('HealthProber') as ServiceIdentifier<HealthProber>,
  upstreamTargets: Symbol('UpstreamTargetsEnvironment') as ServiceIdentifier<UpstreamTargetsEnvironment>,
  permits: Symbol('PermitBook') as ServiceIdentifier<PermitBook>,
  admissions: Symbol('RequestAdmissions') as ServiceIdentifier<RequestAdmissions>,
  routeBreakers: Symbol('RouteBreakers') as ServiceIdentifier<RouteBreakers>,
  /** Buckets in process memory. */
  localRateLimits: Symbol('RateLimitStore') as ServiceIdentifier<RateLimitStore>,
  openSharedRateLimits: Symbol('SharedRateLimitStoreOpener') as ServiceIdentifier<SharedRateLimitStoreOpener>,
  rateLimiters: Symbol('RateLimiterPool') as ServiceIdentifier<RateLimiterPool>,
  memoryReclaimer: Symbol('MemoryReclaimer') as ServiceIdentifier<MemoryReclaimer>,
  /** Memory of the gateway's other processes, in octets. */
  memoryOfOthers: Symbol('memoryOfOthers') as ServiceIdentifier<() => number>,
  descriptorFigures: Symbol('DescriptorFigures') as ServiceIdentifier<DescriptorFigures>,
  descriptors: Symbol('DescriptorGuard') as ServiceIdentifier<DescriptorGuard>,
  memory: Symbol('MemoryGuard') as ServiceIdentifier<MemoryGuard>,
  createTracer: Symbol('TracerFactory') as ServiceIdentifier<TracerFactory>,
  createAgent: Symbol('AgentClientFactory') as ServiceIdentifier<AgentClientFactory>,
  secretDigest: Symbol('SecretDigest of the gateway') as ServiceIdentifier<SecretDigest>,
  secretComparer: Symbol('SecretComparer') as ServiceIdentifier<SecretComparer>,
  /** Compresses responses. */
  compressor: Symbol('BodyCompressor') as ServiceIdentifier<BodyCompressor>,
  /** Inflates bodies for agents. */
  inflater: Symbol('BodyInflater') as ServiceIdentifier<BodyInflater>,
  problems: Symbol('ProblemAnswerer') as ServiceIdentifier<ProblemAnswerer>,
  agentMetrics: Symbol('AgentReports') as ServiceIdentifier<AgentReports>,
  agents: Symbol('AgentRegistry') as ServiceIdentifier<AgentRegistry>,
  /** See `GatewayServices.loadLogger`. */
  loadLogger: Symbol('LoadLogger') as ServiceIdentifier<Pick<Logger, 'warn'>>,
  listeners: Symbol('ListenerRegistry') as ServiceIdentifier<ListenerRegistry>,
  state: Symbol('RunningState') as ServiceIdentifier<RunningState>,
  /** The position of this process in the gateway. */
  initialWorkerState: Symbol('InitialWorkerState') as ServiceIdentifier<InitialWorkerState>,
  reloadRequests: Symbol('ReloadRequests') as ServiceIdentifier<ReloadRequests>,
  /** All workers of the gateway together. */
  whole: Symbol('WholeGateway') as ServiceIdentifier<GatewayCluster>,
  reports: Symbol('StatusReports') as ServiceIdentifier<StatusReports>,
  connectionRefusals: Symbol('ConnectionRefusals') as ServiceIdentifier<ConnectionRefusalCounter>,
  adminRequests: Symbol('AdminRequests') as ServiceIdentifier<AdminRequests>,
  answerAdmin: Symbol('AnswerAdmin') as ServiceIdentifier<AnswerAdmin>,
  stages: Symbol('StageServices') as ServiceIdentifier<StageServices>,
  proxy: Symbol('ProxyRequest') as ServiceIdentifier<ProxyRequest>,
  gateway: Symbol('Gateway') as ServiceIdentifier<Gateway>,
} as const;
