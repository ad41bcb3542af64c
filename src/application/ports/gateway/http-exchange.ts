import type { DirectClient } from '../../../domain/http/client-address.js';
import type { HeaderSummary } from '../../../domain/http/field-traits.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { BodySource, PieceOrigin } from './body-source.js';

/**
 * One side of an upgraded connection. Each direction may end separately. A Node duplex stream fits
 * as it is.
 */
export interface Tunnel {
  /**
   * The octets of the peer; throws if the connection breaks. `destroyOnReturn` would destroy the
   * connection at the end of the peer's input.
   */
  iterator(options: { readonly destroyOnReturn: false }): AsyncIterable<Uint8Array>;
  /** Calls `done` when it can accept more, or with the error that ended the connection. */
  write(chunk: Uint8Array, done: (error?: Error | null) => void): unknown;
  /** Ends the output. */
  end(): unknown;
  destroy(): unknown;
  /** Both directions have ended, or the connection broke. */
  readonly closed: boolean;
  /** Calls the listener on close, unless it is closed already. */
  once(event: 'close', listener: () => void): unknown;
}

/**
 * The head of a message as received. When it is forwarded with changed fields, the adapter that
 * read it can send unchanged fields in one piece. The fields alone decide what is sent.
 */
export interface ReceivedHead {
  /** The received fields; never modified. */
  readonly fields: HeaderList;
  /** Union of the `fieldTraits` of all names. */
  readonly traits: number;
}

/** The head of a request as received. */
export interface ReceivedRequestHead extends ReceivedHead, HeaderSummary {}

/** The head of a response as received. */
export interface ReceivedResponseHead extends ReceivedHead {
  /**
   * The traits without those of the hop-by-hop fields, which nominate no other field (RFC 9110,
   * section 7.6.1). All bits set: unknown.
   */
  readonly passedTraits: number;
}

/** The client connection of a request. */
export interface ClientConnection {
  /** Key of the listener, as given to the engine. */
  readonly listener: string;
  /**
   * Address of the peer, which may be a proxy, or of the client that a PROXY header names. IPv4
   * addresses are in IPv4 notation on dual-stack listeners too.
   */
  readonly peerAddress: string;
  readonly peerPort: number;
  /**
   * The peer must name its clients in PROXY headers but named none. Its forwarding headers are not
   * trusted.
   */
  readonly isUnnamed: boolean;
  readonly scheme: 'http' | 'https';
  /** Null on plain HTTP. */
  readonly tls: ConnectionTls | null;
  /** The peer as the client of its requests, where its forwarding headers are not trusted. */
  readonly direct: DirectClient;
}

/** Results of a connection's TLS handshake. */
export interface ConnectionTls {
  /** `TLSv1.2`, `TLSv1.3`. */
  readonly version: string;
  /** The standard name of the cipher suite. */
  readonly cipher: string;
  /** The requested server name, in lower case (RFC 6066, section 3). */
  readonly serverName: string | null;
  /**
   * The verified client certificate as URL-encoded PEM, followed by its intermediates. Null if the
   * client sent none.
   */
  readonly clientCertificate: string | null;
}

/** The body of a request. */
export interface ClientBody extends BodySource {
  /**
   * Whether the engine reads ahead up to a bound, to detect early that the client has gone. Beyond
   * the bound, or with `false`, only reading the body detects it.
   */
  lookAhead(isWanted: boolean): void;
}

/** A request as received. */
export interface ClientRequest {
  readonly method: string;
  /** The request-target, unmodified (RFC 9112, section 3.2). */
  readonly target: string;
  /** `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string;
  readonly headers: HeaderList;
  /** The received head of `headers`; null if the adapter would not recognise it. */
  readonly received: ReceivedRequestHead | null;
  /** Null without a body. */
  readonly body: ClientBody | null;
  readonly connection: ClientConnection;
  /** The client waits for a 100 before it sends the body. The engine sends it at the first read. */
  readonly expectsContinue: boolean;
  /**
   * The client requests a WebSocket upgrade (RFC 6455, section 4.1), and the engine supports it.
   */
  readonly wantsWebSocket: boolean;
}

/** The response to a client. */
export interface ClientResponse {
  /** The head has been written. Until then, `begin` and `send` replace it. */
  readonly headSent: boolean;

  /**
   * Sends an interim response (1xx except 100 and 101; RFC 9110, section 15.2) to a client of
   * HTTP/1.1 or later. Ignored after the head, and while an earlier response of the connection is
   * pending.
   */
  inform(status: number, headers: HeaderList): void;

  /**
   * Sets the head, which is sent with the first piece of the body at the latest. `close` ends the
   * connection after this response. Without a Content-Length the engine frames the body.
   * `received`: the received head, if any.
   */
  begin(status: number, headers: HeaderList, close: boolean, received?: ReceivedHead | null): void;

  /**
   * Sends the fields of a received head without those excluded from its `passedTraits`, then
   * `added`. For engines that need no list for that. False: not supported here, and nothing was
   * sent.
   */
  passOn?(status: number, received: ReceivedResponseHead, added: HeaderList, close: boolean): boolean;

  /**
   * Sends a piece of the body. Undefined: more can be written now; else resolves when it can.
   * @param origin gets the piece back for reuse. Pass it only if no other code holds the piece
   */
  write(chunk: Uint8Array, origin?: PieceOrigin): Promise<void> | undefined;

  /** Like `write`, for a short text with one character per octet, as `readText` returns. */
  writeText(text: string): Promise<void> | undefined;

  end(trailers: HeaderList): void;

  /** Sends a whole response with its Content-Length. Omits the body for statuses that have none. */
  send(status: number, headers: HeaderList, body: string | null, close: boolean): void;

  /** Closes the connection in mid-response, so that the client sees a truncated response. */
  abort(): void;

  /** Switches protocols: sends a 101 with these headers and hands over the connection. */
  upgrade(headers: HeaderList): Tunnel;

  /**
   * Calls the listener once at the end of the exchange. `completed` is false if the client
   * disconnected before.
   */
  onClosed(listener: (completed: boolean) => void): void;

  /** Octets of the body passed to the socket. */
  bytesSent(): number;
}

/** A request too malformed for a `ClientRequest`. */
export interface RejectedRequest {
  readonly connection: ClientConnection;
  /** `invalid_host`: Host is repeated. */
  readonly reason:
    | 'malformed'
    | 'invalid_host'
    | 'header_too_large'
    | 'target_too_long'
    | 'method_too_long'
    | 'timed_out';
}
