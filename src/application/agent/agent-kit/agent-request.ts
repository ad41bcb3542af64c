import type {
  BodyChunkEvent,
  RequestHeadersEvent,
  RequestMetadata,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { allHeaders, firstHeader, type HeaderList } from '../../../domain/http/header-list.js';

/** Header fields of a message. Names are compared without case. */
export class AgentHeaders {
  /** Names and values by turns; names in lower case. */
  readonly list: HeaderList;

  constructor(list: HeaderList) {
    this.list = list;
  }

  /** The first value; null where there is none. */
  get(name: string): string | null {
    return firstHeader(this.list, name.toLowerCase()) ?? null;
  }

  all(name: string): readonly string[] {
    return allHeaders(this.list, name.toLowerCase());
  }
}

/** The head of a request that a gateway asks about. */
export class AgentRequest {
  readonly #event: RequestHeadersEvent;
  readonly headers: AgentHeaders;

  constructor(event: RequestHeadersEvent) {
    this.#event = event;
    this.headers = new AgentHeaders(event.headers);
  }

  /** The gateway's own id of the request: the same in every event about it. */
  get id(): string {
    return this.#event.correlationId;
  }

  get method(): string {
    return this.#event.method;
  }

  /** Path and query, as they will be forwarded. */
  get uri(): string {
    return this.#event.uri;
  }

  /** The normalised path. */
  get path(): string {
    const { uri } = this.#event;
    const end = uri.indexOf('?');
    return end < 0 ? uri : uri.slice(0, end);
  }

  /** What follows the `?`; null where there is none. */
  get query(): string | null {
    const { uri } = this.#event;
    const end = uri.indexOf('?');
    return end < 0 ? null : uri.slice(end + 1);
  }

  /** Client, route, TLS and trace, as the gateway knows them. */
  get metadata(): RequestMetadata {
    return this.#event.metadata;
  }
}

/** The head of an upstream's response. */
export class AgentResponseHead {
  /** That of the request. */
  readonly id: string;
  readonly status: number;
  readonly headers: AgentHeaders;

  constructor(event: ResponseHeadersEvent) {
    this.id = event.correlationId;
    this.status = event.status;
    this.headers = new AgentHeaders(event.headers);
  }
}

/** A piece of a body that the agent has asked for. */
export class AgentBodyChunk {
  readonly #event: BodyChunkEvent;

  constructor(event: BodyChunkEvent) {
    this.#event = event;
  }

  /** That of the request. */
  get id(): string {
    return this.#event.correlationId;
  }

  get data(): Uint8Array {
    return this.#event.data;
  }

  get isLast(): boolean {
    return this.#event.isLast;
  }

  /** Counts from 0. */
  get index(): number {
    return this.#event.chunkIndex;
  }

  /** Octets so far, this chunk included. */
  get octets(): number {
    return this.#event.kind === 'request_body_chunk' ? this.#event.bytesReceived : this.#event.bytesSent;
  }

  /** Octets of the whole body; null where that is not known. */
  get totalOctets(): number | null {
    return this.#event.totalSize;
  }
}
