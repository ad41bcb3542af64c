import type { SocketAddress } from '../../domain/configuration/gateway-configuration.js';
import type { HeaderList } from '../../domain/http/header-list.js';
import type { ClientRequest, ClientResponse, RejectedRequest } from './http-exchange.js';

/** A response to what never became a request. */
export interface RejectionAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** What an engine calls. Neither function throws, and `handle` ends the response in every case. */
export interface RequestHandler {
  handle(request: ClientRequest, response: ClientResponse): void;
  reject(rejected: RejectedRequest): RejectionAnswer;
}

/** How long an engine waits for clients, and how much of a head it reads. */
export interface EngineLimits {
  /** From the first octet of a head to its last. */
  readonly headTimeoutMs: number;
  /** Silence while a body is awaited, and while a client does not read its response. */
  readonly bodyTimeoutMs: number;
  /** How long an unwanted body is read on, so that the client gets to see the answer before a reset. */
  readonly lingerMs: number;
  /** Silence between two requests on one connection. */
  readonly idleTimeoutMs: number;
  /** Octets of request line and header section; more is rejected before it is held. */
  readonly maxHeadBytes: number;
  readonly maxConnections: number;
}

/** client header 60 s, body 60 s, keep-alive idle 75 s. */
export const defaultEngineLimits: EngineLimits = {
  headTimeoutMs: 60_000,
  bodyTimeoutMs: 60_000,
  lingerMs: 2_000,
  idleTimeoutMs: 75_000,
  maxHeadBytes: 98_304,
  maxConnections: 10_000,
};

/** A listener that is open. */
export interface OpenListener {
  /** What the connections of this listener are known by. */
  readonly key: string;
  /** The address in fact, with the port that port 0 became. */
  address(): SocketAddress;
  connections(): number;

  /**
   * Accepts no more, tells keep-alive clients to go, and resolves when every connection has ended; those that are left
   * after the grace are cut off.
   */
  drain(graceMs: number): Promise<void>;
}

/** Serves HTTP/1.1 to clients. */
export interface HttpEngine {
  /** Rejects with the system's error where the address cannot be had. */
  listen(key: string, address: SocketAddress, handler: RequestHandler, limits: EngineLimits): Promise<OpenListener>;
}
