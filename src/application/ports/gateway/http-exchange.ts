import type { ConnectionHeaderCache } from '../../../domain/http/connection-header-cache.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { HeaderSummary } from '../../../domain/http/header-summary.js';
import type { BodySource, PieceOrigin } from './body-source.js';

/** One side of an upgraded connection: octets both ways, each of which may end by itself. A Node duplex stream is one as it stands. */
export interface Tunnel {
  /**
   * What the peer sends, as it is asked for; throws where the connection breaks. With `destroyOnReturn` the connection
   * would be destroyed as soon as the peer sends no more.
   */
  iterator(options: { readonly destroyOnReturn: false }): AsyncIterable<Uint8Array>;
  /** `done` is called when more can be taken, or with the error that ended the connection. */
  write(chunk: Uint8Array, done: (error?: Error | null) => void): unknown;
  /** No more will be written. */
  end(): unknown;
  destroy(): unknown;
  /** Both directions have ended, or it broke. */
  readonly closed: boolean;
  /** Calls back when it has closed, unless it had before. */
  once(event: 'close', listener: () => void): unknown;
}

/**
 * The head of a message as it came. Whoever passes the message on gives it along with the fields that are to be sent: an
 * adapter that has read such a head itself knows it again, and sends those fields that are as they came in one piece. What is
 * sent depends on the fields alone.
 */
export interface ReceivedHead {
  /** As they came; never changed. */
  readonly fields: HeaderList;
  /** What `fieldTraits` says of their names, together. */
  readonly traits: number;
}

/** The same of a request. */
export interface ReceivedRequestHead extends ReceivedHead, HeaderSummary {}

/** The same of a response. */
export interface ReceivedResponseHead extends ReceivedHead {
  /**
   * The traits but for those of names of which every field concerned the upstream's connection alone, and was found to nominate
   * none of the others (RFC 9110, section 7.6.1). All bits: they are not known.
   */
  readonly passedTraits: number;
}

/** The connection that a request came by. */
export interface ClientConnection {
  /** Key of the listener, as it was given to the engine. */
  readonly listener: string;
  /**
   * The peer's address; of a proxy in front, where there is one, but for the client that a PROXY header names in its place.
   * One of IPv4 is written so on listeners for both, too.
   */
  readonly peerAddress: string;
  readonly peerPort: number;
  /** The peer has to name its clients in PROXY headers, and has named none: what its requests say of a client is not believed. */
  readonly isUnnamed: boolean;
  readonly scheme: 'http' | 'https';
  /** Null on plain HTTP. */
  readonly tls: ConnectionTls | null;
  /** What its requests have in common. The engine begins with null, and leaves it alone. */
  known: ConnectionHeaderCache | null;
}

/** What was agreed on in the TLS handshake of a connection. */
export interface ConnectionTls {
  /** `TLSv1.2`, `TLSv1.3`. */
  readonly version: string;
  /** The standard name of the cipher suite. */
  readonly cipher: string;
  /** The server name that the client asked for, in lower case (RFC 6066, section 3). */
  readonly serverName: string | null;
  /**
   * The certificate of the client, which has been verified, as URL-encoded PEM; the intermediates that lead to it follow
   * in the same text. Null where the client showed none.
   */
  readonly clientCertificate: string | null;
}

/** The body of a request. */
export interface ClientBody extends BodySource {
  /**
   * Whether the engine reads on while nobody does, up to a bound, so that a client which goes away before all of its body
   * has come is noticed at once. Behind the bound, and with `false`, it is noticed when the body is read.
   */
  lookAhead(isWanted: boolean): void;
}

/** A request as its client sent it. */
export interface ClientRequest {
  readonly method: string;
  /** The request-target, untouched (RFC 9112, section 3.2). */
  readonly target: string;
  /** `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string;
  readonly headers: HeaderList;
  /** Its head, of which `headers` are the fields; null: none that an adapter would know again. */
  readonly received: ReceivedRequestHead | null;
  /** Null where the request has none. */
  readonly body: ClientBody | null;
  readonly connection: ClientConnection;
  /** The client waits for a 100 before it sends the body; the engine sends it when the body is first read. */
  readonly expectsContinue: boolean;
  /** The client asks to switch to WebSocket (RFC 6455, section 4.1), and the engine can. */
  readonly wantsWebSocket: boolean;
}

/** The way back to the client. */
export interface ClientResponse {
  /** The head was written to the connection. Until then `begin` and `send` replace it. */
  readonly headSent: boolean;

  /**
   * Sends an interim response (1xx but 100 and 101; RFC 9110, section 15.2), to a client of HTTP/1.1 or later. Without effect once the
   * head was sent, and where this response is not the next of its connection.
   */
  inform(status: number, headers: HeaderList): void;

  /**
   * Sends the head, at the latest with the first of the body. With `close` the connection ends after this response. Without a Content-Length the engine frames
   * the body itself. `received`: the head that the response came with, where there is one.
   */
  begin(status: number, headers: HeaderList, close: boolean, received?: ReceivedHead | null): void;

  /**
   * The same with all fields of a received head but for those that are left out of its `passedTraits`, and `added` behind them, for
   * engines that need no list for that. False: this one does, and nothing was sent.
   */
  passOn?(status: number, received: ReceivedResponseHead, added: HeaderList, close: boolean): boolean;

  /**
   * Sends a piece of the body; resolves when more can be taken, or at once (undefined) where it can be now.
   *
   * @param origin gets the piece back, if the engine can tell that nothing reads it any more. Only from whoever has read it
   * there, and has shown it to nobody else
   */
  write(chunk: Uint8Array, origin?: PieceOrigin): Promise<void> | undefined;

  /** The same for octets that are a text, one character for each: short ones, as `readText` gives them. */
  writeText(text: string): Promise<void> | undefined;

  end(trailers: HeaderList): void;

  /** Sends a whole response; adds its Content-Length. The body of a status that has none is not sent. */
  send(status: number, headers: HeaderList, body: string | null, close: boolean): void;

  /** Ends the connection where the response stands: the client sees that it is incomplete. */
  abort(): void;

  /** Switches protocols: sends a 101 with these headers and gives the connection away. */
  upgrade(headers: HeaderList): Tunnel;

  /** Calls back once when the exchange is over; `completed` is false where the client went away before its end. */
  onClosed(listener: (completed: boolean) => void): void;

  /** Octets of body that were handed to the socket. */
  bytesSent(): number;
}

/** A request that is so malformed that there is no `ClientRequest`. */
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
