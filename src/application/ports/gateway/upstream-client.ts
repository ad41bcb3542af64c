import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { UpstreamHttpVersion } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { RepeatedHeaderCache } from '../../../domain/http/repeated-header-cache.js';
import type { BodySource } from './body-source.js';
import type { ReceivedRequestHead, ReceivedResponseHead, Tunnel } from './http-exchange.js';

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderList;
  /** The head that the request came with; null: none that an adapter would know again. */
  readonly received: ReceivedRequestHead | null;
  /** What is known of the headers where they are its fields; null: nothing. */
  readonly alike: RepeatedHeaderCache | null;
  readonly body: BodySource | null;
  readonly upgradeToWebSocket: boolean;
  /** The wait for a connection, and from the request sent whole to the head of the answer; in milliseconds. */
  readonly timeoutMs: number;
  /** As `TargetClientSettings.readMs`, for this request; null: the target's. */
  readonly readMs: number | null;
  /**
   * The configured time-out, of which `timeoutMs` is what queues and other attempts have left; milliseconds. A target that
   * had less than half of it has not timed out.
   */
  readonly patienceMs: number;
}

/** A response whose head has come. Its list may be made when it is asked for: a copy is made by name, not by spreading it. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: HeaderList;
  /** Its head as it came, of which `headers` are the fields, all of them; null: none that an adapter would know again. */
  readonly received: ReceivedResponseHead | null;
  /** Null where there is none: HEAD, 204, 304. */
  readonly body: BodySource | null;
  /** The upstream has paused behind the head: it is to be sent on without waiting for the body. */
  readonly isBodyLate: boolean;
  /** Set where the upstream switched protocols. It is one of the connections to its target until it closes. */
  readonly tunnel: Tunnel | null;
}

export type UpstreamFailureCode =
  /** Refused, reset before a response, DNS, TLS. */
  | 'unreachable'
  /** The client has refused the request itself: nothing was sent, and the target is not to blame. */
  | 'refused_request'
  /** Malformed, ambiguously framed, or its head over the limit. */
  | 'invalid_response'
  /** The target has had the time that it was to have. */
  | 'timed_out'
  /**
   * Every connection is busy: so is the queue for them, or none was free in time, or so late that the target could not
   * answer; or the target was taken out; or the process has no free file descriptor.
   */
  | 'overloaded'
  /** The request body could not be read to its end. */
  | 'request_body'
  | 'cancelled';

export interface UpstreamFailure {
  readonly code: UpstreamFailureCode;
  /** No octet of the request went out: it may be sent to another target, whatever its method. */
  readonly neverSent?: boolean;
  /** It waited for a connection, or for its own body, when the target was taken out: never sent, and no attempt at all. */
  readonly wasEvicted?: boolean;
  /** The process has no free file descriptor for a connection. */
  readonly isOutOfDescriptors?: boolean;
  /** For the log. */
  readonly detail: string;
}

/**
 * Who has had a request sent. One of `answered` and `failed` is called, once, in every case, at the latest when the time-out is
 * over, and none of the functions before `send` has returned. None of the functions may throw: they are called from where octets are read.
 */
export interface UpstreamListener {
  /** An interim response has come, which is not 101 (RFC 9110, section 15.2). None is told of behind `answered` or `failed`. */
  informed(status: number, headers: HeaderList): void;
  /**
   * The head of the answer has come. What the client had to do about its connection is done: another request may be sent
   * before this returns.
   */
  answered(response: UpstreamResponse): void;
  /** There is no answer. Told once the call that has brought it about, of `cancel` or `evictQueued` among others, has returned. */
  failed(failure: UpstreamFailure): void;
  /**
   * Asked where a kept connection closed as the request went out, and nothing can have come of it. True: it is sent once
   * more on another connection to the same target, and that counts as a retry.
   */
  mayRepeat(): boolean;
}

/** A request on its way. */
export interface UpstreamExchange {
  /** The request is no longer wanted: its connection is closed. */
  cancel(): void;
}

/** Connections that the targets of one upstream may keep together while nothing uses them. */
export interface IdleAllowance {
  /** None may be kept at all. */
  readonly isNone: boolean;
  /** False: there are enough. */
  take(): boolean;
  giveBack(): void;
}

export interface TargetClientSettings {
  /** An IP address and a port. */
  readonly address: SocketAddress;
  /** As the configuration has it: the Host of requests that have none. */
  readonly authority: string;
  readonly connectMs: number;
  /** Silence of the upstream behind the head of its answer, and while it takes nothing of a request's body; milliseconds. */
  readonly readMs: number;
  readonly maxConnections: number;
  /** A request found every connection busy: it waits for one, or is refused. */
  readonly onExhausted: () => void;
  /** Connections that are kept while nothing uses them; 0: none, not even for a moment. */
  readonly maxIdle: number;
  readonly idle: IdleAllowance;
  /** `2`: HTTP/2 with prior knowledge (RFC 9113, section 3.3). */
  readonly httpVersion: UpstreamHttpVersion;
}

export interface ConnectionFigures {
  /** Tunnels are among them. */
  readonly activeConnections: number;
  readonly idleConnections: number;
  /** Requests that wait for a connection. */
  readonly waitingRequests: number;
}

/** The connections to one address. */
export interface TargetClient {
  /** No connection is free, and none can be made: a request would have to wait. Told without looking at them all. */
  readonly isFull: boolean;
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange;
  /**
   * The target was taken out: every request that waits for a connection fails at once, and was never sent (`wasEvicted`).
   * One that still waits for the first of its body does when that has come.
   */
  evictQueued(): void;
  figures(): ConnectionFigures;
  /**
   * Requests in flight and tunnels finish within the grace; then the connections close, and what is left of them is cut
   * off.
   */
  close(graceMs: number): Promise<void>;
}

export type TargetClientFactory = (settings: TargetClientSettings) => TargetClient;
