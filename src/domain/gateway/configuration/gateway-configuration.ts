import type {
  CertificateFiles,
  GrpcAddress,
  SocketAddress,
  StreamAddress,
} from '../../configuration/network-addresses.js';
import type { JsonObject } from '../../shared/json.js';
import type { Secret } from '../../shared/secret.js';
import type { CircuitBreakerRules } from '../circuit-breaking/circuit-breaker.js';
import type { TrafficSplit } from '../load-balancing/traffic-split.js';
import type { RateLimitPolicy } from '../rate-limiting/rate-limit-policy.js';
import type { CompressionRules } from '../route-transforms/compression-rules.js';
import type { CorsPolicy } from '../route-transforms/cors-policy.js';
import type { FixedResponse } from '../route-transforms/fixed-response.js';
import type { HeaderRules } from '../route-transforms/header-rules.js';
import type { MirrorRules } from '../route-transforms/mirror.js';
import type { RedirectRule } from '../route-transforms/redirect.js';
import type { RouteMatches } from '../routing/route-matches.js';
import type { AuditConfiguration } from './audit-schema.js';
import type { RateLimitStoreOptions, RateLimits } from './rate-limit-options.js';
import type { PathPolicy } from './rewrite-schema.js';
import type { TracingConfiguration } from './tracing-schema.js';
import type { Balancing, HealthCheck, RetryRules, StickyCookie } from './upstream-options.js';

/** HTTP versions for targets of an upstream. `auto`: negotiated in the TLS handshake (ALPN, RFC 7301). */
export const upstreamHttpVersions = ['1.1', '2', 'auto'] as const;
export type UpstreamHttpVersion = (typeof upstreamHttpVersions)[number];

/** The complete configuration of a gateway, with all defaults. */
export interface GatewayConfiguration {
  readonly system: SystemConfiguration;
  readonly listeners: readonly ListenerConfiguration[];
  /** In the order of the file; the route table sorts them. */
  readonly routes: readonly RouteConfiguration[];
  /** The policies of `defaults`, for responses to requests without a route. Routes have their share of them already. */
  readonly unrouted: RoutePolicies;
  readonly upstreams: readonly UpstreamConfiguration[];
  readonly agents: readonly AgentConfiguration[];
  readonly limits: LimitsConfiguration;
  /** Null: no admin endpoints. */
  readonly admin: AdminConfiguration | null;
  /** Null: no tracing. */
  readonly tracing: TracingConfiguration | null;
  /** Null: no audit log. */
  readonly audit: AuditConfiguration | null;
  /** Path of the template of error pages; null: the standard page. */
  readonly errorPageFile: string | null;
}

export interface SystemConfiguration {
  /** Value of the label `instance`; null: the host name. */
  readonly instance: string | null;
  /** How long draining waits for requests in flight. */
  readonly gracefulShutdownTimeoutMs: number;
  /** How long a stopping gateway still accepts connections, so that load balancers see /ready fail first. */
  readonly shutdownDelayMs: number;
  /** Worker processes; 0: one per core. */
  readonly workerThreads: number;
  /** The layer that carries plain TCP connections; `auto`: native where it is available. */
  readonly sockets: 'auto' | 'native' | 'node';
}

export interface ListenerConfiguration {
  readonly name: string;
  readonly address: SocketAddress;
  /** Null: plain HTTP. */
  readonly tls: TlsConfiguration | null;
  /** CIDR blocks whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Every connection must begin with a PROXY protocol header. */
  readonly proxyProtocol: boolean;
  /** Header in which trusted proxies send the client certificate; null: none. */
  readonly acceptClientCertHeader: string | null;
  /** Accepts HTTP/2: by ALPN with TLS, otherwise by prior knowledge. */
  readonly http2: boolean;
  readonly timeouts: ListenerTimeouts;
}

/** Timeouts for clients. */
export interface ListenerTimeouts {
  /** For the whole PROXY protocol header, if required. */
  readonly proxyHeaderMs: number;
  /** From the first octet of a request head to its last. */
  readonly headMs: number;
  /** Longest pause while a client sends a body, or while it does not read its response. */
  readonly bodyMs: number;
  /** Average minimum rate of a body, in octets per second of waiting; 0: none. */
  readonly minBodyOctetsPerSecond: number;
  /** From the end of a response to the first octet of the next request on the connection. */
  readonly idleMs: number;
}

/** `require`: clients must present a certificate. `request`: they may, and it must be valid. */
export type ClientAuth = 'none' | 'request' | 'require';

/** TLS of a listener. */
export interface TlsConfiguration {
  /** The first applies to clients without SNI, or with an unknown server name. */
  readonly certificates: readonly CertificateFiles[];
  readonly clientAuth: ClientAuth;
  /** Path of a PEM file with the CAs of clients; null only with `none`. */
  readonly caCertFile: string | null;
  /** Header that forwards the verified client certificate; null: not forwarded. */
  readonly forwardClientCertHeader: string | null;
  readonly minVersion: '1.2' | '1.3';
}

export const builtinHandlers = [
  'health',
  'ready',
  'status',
  'metrics',
  'upstreams',
  'version',
  'routes',
  'stats',
] as const;
export type BuiltinHandler = (typeof builtinHandlers)[number];

export interface RouteConfiguration {
  readonly id: string;
  readonly priority: number;
  readonly matches: RouteMatches;
  /** Exactly one of `upstream`, `split`, `builtinHandler`, `redirect` and `respond` is set. */
  readonly upstream: string | null;
  readonly split: TrafficSplit | null;
  /** Null: requests are not mirrored. */
  readonly mirror: MirrorRules | null;
  readonly builtinHandler: BuiltinHandler | null;
  readonly redirect: RedirectRule | null;
  readonly respond: FixedResponse | null;
  /** Names, in the order of calls. */
  readonly agents: readonly string[];
  readonly policies: RoutePolicies;
  /** Null: no breaker. */
  readonly circuitBreaker: CircuitBreakerRules | null;
}

export interface RoutePolicies {
  /** Octets; null: the global limit. */
  readonly maxBodySize: number | null;
  /** As `UpstreamTimeouts.requestMs`; null: that of the upstream. */
  readonly requestTimeoutMs: number | null;
  /** As `UpstreamTimeouts.readMs`; null: that of the upstream. */
  readonly readTimeoutMs: number | null;
  /** Reads the whole request before forwarding it. */
  readonly bufferRequests: boolean;
  /** Reads the whole response before sending it, unless it is long or a stream. */
  readonly bufferResponses: boolean;
  readonly rateLimit: RateLimitPolicy | null;
  /** Null: responses are not compressed. */
  readonly compression: CompressionRules | null;
  /** Null: the gateway neither answers preflights nor touches CORS fields. */
  readonly cors: CorsPolicy | null;
  /** Rules for the forwarded request; null: none. */
  readonly requestHeaders: HeaderRules | null;
  /** Rules for every response, those of the gateway included; null: none. */
  readonly responseHeaders: HeaderRules | null;
  /** The path for the upstream. */
  readonly path: PathPolicy;
  /** Forwards identity headers of clients. Never set on a route with agents. */
  readonly forwardsIdentityHeaders: boolean;
  /** As `GatewayConfiguration.errorPageFile`; null: the same. */
  readonly errorPageFile: string | null;
}

export interface UpstreamConfiguration {
  readonly name: string;
  readonly targets: readonly TargetConfiguration[];
  readonly timeouts: UpstreamTimeouts;
  /** Largest number of connections to each target. */
  readonly maxConnections: number;
  /** Idle connections to keep for each target. */
  readonly maxIdle: number;
  /** Null: targets count as healthy until requests fail. */
  readonly healthCheck: HealthCheck | null;
  /** The breaker of each target; null: none. */
  readonly targetBreaker: CircuitBreakerRules | null;
  /** The breaker never removes the last healthy target that is not drained. */
  readonly sparesLastTarget: boolean;
  readonly balancing: Balancing;
  /** Null: no sticky sessions. */
  readonly stickyCookie: StickyCookie | null;
  readonly retries: RetryRules;
  /** Interval of DNS lookups of target names. */
  readonly dnsRefreshMs: number;
  readonly httpVersion: UpstreamHttpVersion;
  /** Null: plain connections. */
  readonly tls: UpstreamTlsConfiguration | null;
  readonly hostHeader: HostHeader;
}

/** TLS to the targets of an upstream. Paths name PEM files. */
export interface UpstreamTlsConfiguration {
  /** Host name or IP address that the certificate must contain; null: the host of each target. */
  readonly serverName: string | null;
  /** CAs that verify the targets; null: those built into Node.js. */
  readonly caCertFile: string | null;
  /** Client certificate of the gateway; null: none. */
  readonly certificate: CertificateFiles | null;
  readonly minVersion: '1.2' | '1.3';
  /** False: any certificate is accepted. */
  readonly verifies: boolean;
}

/** The Host of forwarded requests: the client's, the target's authority, or a fixed one. */
export type HostHeader =
  | { readonly kind: 'preserve' }
  | { readonly kind: 'target' }
  | { readonly kind: 'fixed'; readonly host: string };

export interface TargetConfiguration {
  readonly address: StreamAddress;
  /** Share of the requests, relative to the other weights; 0: none. */
  readonly weight: number;
}

export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** Longest pause within a response body, or while the upstream accepts no part of a request body. */
  readonly readMs: number;
  /** For the wait for a connection, and then from the end of the request to the response head. */
  readonly requestMs: number;
}

/** TLS to an agent. Paths name PEM files. */
export interface AgentTls {
  /** CAs that verify the agent's certificate; null: those built into Node.js. */
  readonly caCertFile: string | null;
  /** Client certificate of the gateway; null: none. */
  readonly certificate: CertificateFiles | null;
  /** Name that the agent's certificate must contain; null: the host of the address. */
  readonly serverName: string | null;
}

export type AgentTransport =
  | { readonly kind: 'unix_socket'; readonly path: string; readonly owner: string | null }
  | {
      readonly kind: 'grpc';
      readonly address: GrpcAddress;
      /** User that may own a unix socket, besides root and the user of the gateway. */
      readonly owner: string | null;
      /** Null: no TLS. */
      readonly tls: AgentTls | null;
    }
  | { readonly kind: 'embedded' };

/** Events that an agent can subscribe to. */
export const agentSubscriptions = [
  'request_headers',
  'request_body_chunk',
  'response_headers',
  'response_body_chunk',
  'request_complete',
] as const;
export type AgentSubscription = (typeof agentSubscriptions)[number];

/** The gateway's configuration of an agent. */
/** The admin endpoints of an agent in another process. */
export interface AgentAdminConfiguration {
  readonly address: StreamAddress;
  readonly token: Secret;
}

export interface AgentConfiguration {
  readonly name: string;
  readonly transport: AgentTransport;
  readonly events: readonly AgentSubscription[];
  readonly timeoutMs: number;
  /** `open`: without an answer, a request continues without the agent. */
  readonly failureMode: 'closed' | 'open';
  /** 1: the older framing, only over a unix socket. */
  readonly protocolVersion: 1 | 2;
  /** Connections to the agent; 0 for an embedded agent. */
  readonly connections: number;
  /** Null: no breaker. */
  readonly circuitBreaker: CircuitBreakerRules | null;
  /** Null: the gateway does not administer sessions of the agent; an embedded agent needs no address. */
  readonly admin: AgentAdminConfiguration | null;
  /** Sent to the agent unchanged; null: none. Contains plain secrets, so never print it. */
  readonly config: JsonObject | null;
}

export interface LimitsConfiguration {
  /** Octets of all header fields together. */
  readonly maxHeaderSizeBytes: number;
  readonly maxHeaderCount: number;
  readonly maxHeaderNameBytes: number;
  readonly maxHeaderValueBytes: number;
  readonly maxBodySizeBytes: number;
  /** Octets of a body that agents may inspect. */
  readonly maxBodyInspectionBytes: number;
  /** Calls to one agent that may wait for a free slot. */
  readonly maxAgentQueueDepth: number;
  /** Octets of a body for one agent. */
  readonly maxAgentBodyBytes: number;
  /** Octets of an agent's answer, without body mutations. */
  readonly maxAgentResponseBytes: number;
  /** Largest ratio of decompressed to compressed size of a body for an agent. */
  readonly maxDecompressionRatio: number;
  /** Octets of a decompressed body for an agent. */
  readonly maxDecompressedSizeBytes: number;
  /** Octets of a buffered body. */
  readonly maxBodyBufferBytes: number;
  /** Connections of one peer address. Behind a trusted proxy: concurrent requests of one client. */
  readonly maxConnectionsPerClient: number;
  /** Concurrent requests of one route. */
  readonly maxConnectionsPerRoute: number;
  readonly maxTotalConnections: number;
  /** Idle connections to all targets of an upstream. */
  readonly maxIdleConnectionsPerUpstream: number;
  readonly maxInFlightRequests: number;
  readonly maxInFlightRequestsPerWorker: number;
  /** Requests that wait for a slot. */
  readonly maxQueuedRequests: number;
  readonly rates: RateLimits;
  readonly rateLimitStore: RateLimitStoreOptions;
  /** Octets; null: no limit. */
  readonly maxMemoryBytes: number | null;
  /** Percent of the memory of the system or its control group; null: no limit. */
  readonly maxMemoryPercent: number | null;
}

export interface AdminConfiguration {
  readonly address: SocketAddress;
  /** Bearer token. Null: no authentication (loopback address, or configured so), and POST is not available. */
  readonly token: Secret | null;
  /** What must be healthy, besides the gateway, before /ready answers 200. */
  readonly readyRequires: readonly ('upstreams' | 'agents')[];
}
