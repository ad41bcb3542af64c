import type {
  LimitsConfiguration,
  ListenerTimeouts,
  RoutePolicies,
  UpstreamConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';

/** Limits as they are where the configuration says nothing. */
export const plainLimits: LimitsConfiguration = {
  maxHeaderSizeBytes: 8192,
  maxHeaderCount: 100,
  maxHeaderNameBytes: 256,
  maxHeaderValueBytes: 4096,
  maxBodySizeBytes: 10_485_760,
  maxBodyInspectionBytes: 1_048_576,
  maxAgentQueueDepth: 100,
  maxAgentBodyBytes: 1_048_576,
  maxAgentResponseBytes: 10_240,
  maxDecompressionRatio: 100,
  maxDecompressedSizeBytes: 104_857_600,
  maxBodyBufferBytes: 1_048_576,
  maxConnectionsPerClient: 100,
  maxConnectionsPerRoute: 1_000,
  maxTotalConnections: 10_000,
  maxIdleConnectionsPerUpstream: 100,
  maxInFlightRequests: 10_000,
  maxInFlightRequestsPerWorker: 1_000,
  maxQueuedRequests: 1_000,
  rates: { global: null, perClient: null, perRoute: null },
  rateLimitStore: { kind: 'memory' },
  maxMemoryBytes: null,
  maxMemoryPercent: null,
};

export const plainPolicies: RoutePolicies = {
  maxBodySize: null,
  requestTimeoutMs: null,
  readTimeoutMs: null,
  bufferRequests: false,
  bufferResponses: false,
  compression: null,
  forwardsIdentityHeaders: false,
  rateLimit: null,
  errorPageFile: null,
  cors: null,
  requestHeaders: null,
  responseHeaders: null,
  path: { rewrite: null, turnsBack: true, allowEncodedSlash: false, mergeSlashes: true },
};

export const plainTimeouts: ListenerTimeouts = {
  proxyHeaderMs: 5_000,
  headMs: 60_000,
  bodyMs: 60_000,
  minBodyOctetsPerSecond: 240,
  idleMs: 75_000,
};

/** An upstream with one target on this port of the machine. */
export const plainUpstream = (name: string, port: number): UpstreamConfiguration => ({
  name,
  targets: [{ address: { host: '127.0.0.1', port }, weight: 1 }],
  timeouts: { connectMs: 20_000, readMs: 20_000, requestMs: 20_000 },
  maxConnections: 100,
  maxIdle: 20,
  healthCheck: null,
  targetBreaker: null,
  sparesLastTarget: false,
  balancing: { kind: 'round_robin' },
  stickyCookie: null,
  retries: { maxAttempts: 3, budgetPercent: 20 },
  dnsRefreshMs: 30_000,
  httpVersion: '1.1',
  tls: null,
  hostHeader: { kind: 'preserve' },
});
