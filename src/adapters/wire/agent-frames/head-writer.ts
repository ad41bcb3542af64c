import type {
  RequestHeadersEvent,
  RequestMetadata,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { addHeaders } from './header-json.js';
import type { JsonOctets } from './json-octets.js';

/** Characters of the gateway's ids, which are UUIDs. */
const idLength = 36;

const blank = '-'.repeat(idLength);
const beforeId = '{"correlation_id":"';
const behindId = '","metadata":{"correlation_id":"';
const behindRepeatedId = '","request_id":"';
const beforeAddress = '","client_ip":';

/** The start of every request head, with three blanks for the id. */
const headTemplate = new TextEncoder().encode([beforeId, behindId, behindRepeatedId, beforeAddress].join(blank));
const idOffsets = [
  beforeId.length,
  beforeId.length + idLength + behindId.length,
  beforeId.length + 2 * idLength + behindId.length + behindRepeatedId.length,
] as const;

let timeMs = Number.NaN;
let timeText = '';

/** RFC 3339 text; cached for one millisecond. */
const timeOf = (timestampMs: number): string => {
  if (timestampMs !== timeMs) {
    timeText = new Date(timestampMs).toISOString();
    timeMs = timestampMs;
  }
  return timeText;
};

const addRoute = (into: JsonOctets, metadata: RequestMetadata): void => {
  into.addAscii(',"server_name":');
  into.addOptionalString(metadata.serverName);
  into.addAscii(',"protocol":');
  into.addString(metadata.protocol);
  into.addAscii(',"tls_version":');
  into.addOptionalString(metadata.tlsVersion);
  into.addAscii(',"tls_cipher":');
  into.addOptionalString(metadata.tlsCipher);
  into.addAscii(',"route_id":');
  into.addOptionalString(metadata.routeId);
  into.addAscii(',"upstream_id":');
  into.addOptionalString(metadata.upstreamId);
};

const isSameRoute = (one: RequestMetadata, other: RequestMetadata): boolean =>
  one.serverName === other.serverName &&
  one.protocol === other.protocol &&
  one.tlsVersion === other.tlsVersion &&
  one.tlsCipher === other.tlsCipher &&
  one.routeId === other.routeId &&
  one.upstreamId === other.upstreamId;

/**
 * Writes the head of a message as octets, with the same JSON as `eventJson`. Heads are most of what agents
 * receive. Route and time are copied while requests of one route arrive in the same millisecond.
 */
export class HeadWriter {
  #last: RequestMetadata | null = null;
  /** Octets of the last head from the server name to the time. */
  #lastOctets = new Uint8Array(0);

  /** Adds the head of a request. */
  readonly addRequest = (into: JsonOctets, event: RequestHeadersEvent): void => {
    const { correlationId, metadata } = event;
    this.#addIds(into, correlationId, metadata.requestId);
    into.addString(metadata.clientIp);
    into.addAscii(',"client_port":');
    into.addAscii(String(metadata.clientPort));
    const last = this.#last;
    if (last !== null && last.timestampMs === metadata.timestampMs && isSameRoute(last, metadata)) {
      into.add(this.#lastOctets);
    } else this.#addRoute(into, metadata);
    into.addOptionalString(metadata.traceparent);
    into.addAscii('},"method":');
    into.addString(event.method);
    into.addAscii(',"uri":');
    into.addString(event.uri);
    into.addAscii(',"headers":');
    addHeaders(into, event.headers);
    into.addAscii('}');
  };

  /** Adds the head of a response. */
  readonly addResponse = (into: JsonOctets, event: ResponseHeadersEvent): void => {
    into.addAscii('{"correlation_id":');
    into.addString(event.correlationId);
    into.addAscii(',"status":');
    into.addAscii(String(event.status));
    into.addAscii(',"headers":');
    addHeaders(into, event.headers);
    into.addAscii('}');
  };

  /** Adds the start up to the client address. */
  #addIds(into: JsonOctets, correlationId: string, requestId: string): void {
    const isUsual = correlationId.length === idLength && requestId === correlationId;
    if (isUsual && into.addTemplate(headTemplate, correlationId, idOffsets)) return;
    into.addAscii('{"correlation_id":');
    into.addString(correlationId);
    into.addAscii(',"metadata":{"correlation_id":');
    into.addString(correlationId);
    into.addAscii(',"request_id":');
    into.addString(requestId);
    into.addAscii(',"client_ip":');
  }

  /** Adds route and time, and keeps the octets for the next head. */
  #addRoute(into: JsonOctets, metadata: RequestMetadata): void {
    const start = into.length;
    addRoute(into, metadata);
    into.addAscii(',"timestamp":"');
    into.addAscii(timeOf(metadata.timestampMs));
    into.addAscii('","traceparent":');
    this.#last = metadata;
    this.#lastOctets = into.view().slice(start);
  }
}
