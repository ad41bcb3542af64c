import type {
  BodyChunkEvent,
  RequestHeadersEvent,
  RequestMetadata,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { allHeaders, firstHeader, type HeaderList } from '../../../domain/http/header-list.js';

/** Header fields of a message. Names are case-insensitive. */
export class AgentHeaders {
  /** Alternating names and values; names in lower case. */
  readonly list: HeaderList;

  constructor(list: HeaderList) {
    this.list = list;
  }

  /** The first value; null if there is none. */
  get(name: string): string | null {
    return firstHeader(this.list, name.toLowerCase()) ?? null;
  }

  all(name: string): readonly string[] {
    return allHeaders(this.list, name.toLowerCase());
  }
}

/** The head of a request. */
export class AgentRequest {
  readonly #event: RequestHeadersEvent;
  readonly headers: AgentHeaders;

  constructor(event: RequestHeadersEvent) {
    this.#event = event;
    this.headers = new AgentHeaders(event.headers);
  }

  /** The gateway's id of the request, the same in all its events. */
  get id(): string {
    return this.#event.correlationId;
  }

  get method(): string {
    return this.#event.method;
  }

  /** Path and query, as forwarded. */
  get uri(): string {
    return this.#event.uri;
  }

  /** The normalised path. */
  get path(): string {
    const { uri } = this.#event;
    const end = uri.indexOf('?');
    return end < 0 ? uri : uri.slice(0, end);
  }

  /** The part after `?`; null if there is none. */
  get query(): string | null {
    const { uri } = this.#event;
    const end = uri.indexOf('?');
    return end < 0 ? null : uri.slice(end + 1);
  }

  /** Client, route, TLS and trace, as the gateway sees them. */
  get metadata(): RequestMetadata {
    return this.#event.metadata;
  }
}

/** The head of an upstream response. */
export class AgentResponseHead {
  /** The id of the request. */
  readonly id: string;
  readonly status: number;
  readonly headers: AgentHeaders;

  constructor(event: ResponseHeadersEvent) {
    this.id = event.correlationId;
    this.status = event.status;
    this.headers = new AgentHeaders(event.headers);
  }
}

/** A chunk of a body that the agent requested. */
export class AgentBodyChunk {
  readonly #event: BodyChunkEvent;

  constructor(event: BodyChunkEvent) {
    this.#event = event;
  }

  /** The id of the request. */
  get id(): string {
    return this.#event.correlationId;
  }

  get data(): Uint8Array {
    return this.#event.data;
  }

  get isLast(): boolean {
    return this.#event.isLast;
  }

  /** Starts at 0. */
  get index(): number {
    return this.#event.chunkIndex;
  }

  /** Octets so far, including this chunk. */
  get octets(): number {
    return this.#event.kind === 'request_body_chunk' ? this.#event.bytesReceived : this.#event.bytesSent;
  }

  /** Octets of the whole body; null if unknown. */
  get totalOctets(): number | null {
    return this.#event.totalSize;
  }
}
