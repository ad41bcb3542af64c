import type { StreamAddress } from '../../../domain/configuration/network-addresses.js';
import type { UpstreamHttpVersion } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { BodySource } from './body-source.js';
import type { ReceivedRequestHead, ReceivedResponseHead, Tunnel } from './http-exchange.js';
import type { TargetTls } from './upstream-tls.js';

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderList;
  /** The received head of the request; null if the adapter would not recognise it. */
  readonly received: ReceivedRequestHead | null;
  readonly body: BodySource | null;
  readonly upgradeToWebSocket: boolean;
  /**
   * Timeout in milliseconds, applied twice: to the wait for a connection, and from the sent request
   * to the response head.
   */
  readonly timeoutMs: number;
  /** Replaces `TargetClientOptions.readMs` for this request; null: the target's. */
  readonly readMs: number | null;
  /**
   * The configured timeout in milliseconds; queues and other attempts have reduced `timeoutMs`. A
   * target that had less than half of it is not blamed for a timeout.
   */
  readonly configuredTimeoutMs: number;
}

/**
 * A response whose head has arrived. Its list may be created on access: copy it by name, not by
 * spreading.
 */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: HeaderList;
  /** The received head with all of `headers`; null if the adapter would not recognise it. */
  readonly received: ReceivedResponseHead | null;
  /** Null without a body: HEAD, 204, 304. */
  readonly body: BodySource | null;
  /** The upstream paused after the head: forward the head without waiting for the body. */
  readonly isBodyLate: boolean;
  /**
   * Set if the upstream switched protocols. Counts as a connection to its target until it closes.
   */
  readonly tunnel: Tunnel | null;
}

export type UpstreamFailureCode =
  /** Refused, reset before a response, DNS, TLS. */
  | 'unreachable'
  /** The client rejected the request itself: nothing was sent, and the target is not at fault. */
  | 'refused_request'
  /** Malformed, ambiguously framed, or with too large a head. */
  | 'invalid_response'
  /** The target used up its time. */
  | 'timed_out'
  /**
   * No connection in time: the queue is full, the wait was too long, the target was removed, or the
   * process has no free file descriptor.
   */
  | 'overloaded'
  /** The request body could not be read to its end. */
  | 'request_body'
  | 'cancelled';

export interface UpstreamFailure {
  readonly code: UpstreamFailureCode;
  /** No octet of the request was sent: any method may be retried on another target. */
  readonly neverSent?: boolean;
  /**
   * The target was removed while the request waited for a connection or its body. It was never sent
   * and counts as no attempt.
   */
  readonly wasEvicted?: boolean;
  /**
   * The address cannot be connected to: refused, unreachable, or no connection in time. Another
   * address of the same name may do. A TLS fault is none, because it is the target's.
   */
  readonly isUnconnected?: boolean;
  /** The process has no free file descriptor for a connection. */
  readonly isOutOfDescriptors?: boolean;
  /** For the log. */
  readonly detail: string;
}

/**
 * Receives the outcome of a request. Exactly one of `answered` and `failed` is called, at the
 * latest at the timeout. No function is called before `send` returns. None may throw: they run
 * inside the reader of the socket.
 */
export interface UpstreamListener {
  /**
   * An interim response except 101 (RFC 9110, section 15.2). Never after `answered` or `failed`.
   */
  informed(status: number, headers: HeaderList): void;
  /**
   * The head of the response has arrived. The client has updated its connections: another request
   * may be sent from here.
   */
  answered(response: UpstreamResponse): void;
  /**
   * There is no response. Never called during `cancel` or `evictQueued`, only after they return.
   */
  failed(failure: UpstreamFailure): void;
  /**
   * Called when a reused connection closed while the request was sent and the target cannot have
   * processed it. True: send it again on another connection to the same target; that counts as a
   * retry.
   */
  takeRetry(): boolean;
  /**
   * The request body from its first octet, to send it once more; null: a part of it is no longer
   * held. Ends the reads of the body before.
   */
  restartBody?(): BodySource | null;
}

/** A request in flight. */
export interface UpstreamExchange {
  /** Cancels the request and closes its connection. */
  cancel(): void;
}

/** The idle connections that all targets of one upstream may keep together. */
export interface IdleAllowance {
  /** No idle connection is allowed. */
  readonly isNone: boolean;
  /** False: the allowance is used up. */
  take(): boolean;
  giveBack(): void;
}

export interface TargetClientOptions {
  /** An IP address and a port, or a unix socket. */
  readonly address: StreamAddress;
  /** The Host of requests without one. */
  readonly authority: string;
  /** Replaces the Host of every request with `authority`. */
  readonly replacesHost: boolean;
  /** Null: plain connections. */
  readonly tls: TargetTls | null;
  readonly connectMs: number;
  /**
   * Maximum silence of the upstream after the response head, and while it reads none of a request
   * body; milliseconds.
   */
  readonly readMs: number;
  readonly maxConnections: number;
  /** Every connection was busy: the request queues or is refused. */
  readonly onExhausted: () => void;
  /** Maximum number of idle connections; 0: none, not even briefly. */
  readonly maxIdle: number;
  readonly idle: IdleAllowance;
  /** `2` without TLS: HTTP/2 with prior knowledge (RFC 9113, section 3.3). */
  readonly httpVersion: UpstreamHttpVersion;
}

export interface ConnectionFigures {
  /** Includes tunnels. */
  readonly activeConnections: number;
  readonly idleConnections: number;
  /** Requests that wait for a connection. */
  readonly waitingRequests: number;
}

/** A connection that was opened for one request. Call one of its functions, once, during `connected`. */
export interface OpenedConnection {
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange;
  /** Leaves it to other requests. */
  release(): void;
}

/** Receives the outcome of a connection attempt: one call, after `connect` returns. May not throw. */
export interface ConnectAttemptListener {
  /** @param connection null if the attempt was abandoned before */
  connected(connection: OpenedConnection | null): void;
  notConnected(failure: UpstreamFailure): void;
}

/** A connection attempt under way. */
export interface ConnectAttempt {
  /** When it began, possibly for an earlier request; monotonic milliseconds. */
  readonly beganMs: number;
  /** The request no longer needs the connection. The attempt continues, for other requests. */
  abandon(): void;
}

/** The connections to one address. */
export interface TargetClient {
  /** No connection is free or can be opened: a request would queue. Cheap to read. */
  readonly isFull: boolean;
  /**
   * A request would have to wait for a new connection. Cheap to ask.
   *
   * @param forUpgrade the request is an upgrade to WebSocket
   */
  mustConnect(forUpgrade: boolean): boolean;
  /** Opens a connection for a request. Call it only if `mustConnect`. */
  connect(forUpgrade: boolean, listener: ConnectAttemptListener): ConnectAttempt;
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange;
  /**
   * The target was removed: queued requests fail at once with `wasEvicted`. Requests that wait for
   * the first piece of their body fail when it arrives.
   */
  evictQueued(): void;
  figures(): ConnectionFigures;
  /** Lets requests in flight and tunnels finish within the grace period, then aborts the rest. */
  close(graceMs: number): Promise<void>;
}

export type TargetClientFactory = (settings: TargetClientOptions) => TargetClient;
