import type {
  RequestHeadersEvent,
  RequestMetadata,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { HeaderJsonCache } from './header-json-cache.js';
import type { JsonOctets } from './json-octets.js';

/** Characters of the ids that our gateway makes, which are UUIDs. */
const idLength = 36;

const blank = '-'.repeat(idLength);
const beforeId = '{"correlation_id":"';
const behindId = '","metadata":{"correlation_id":"';
const behindRepeatedId = '","request_id":"';
const beforeAddress = '","client_ip":';

/** What every head begins with, but for its id, which stands in it three times. */
const beginning = new TextEncoder().encode([beforeId, behindId, behindRepeatedId, beforeAddress].join(blank));
const idPlaces = [
  beforeId.length,
  beforeId.length + idLength + behindId.length,
  beforeId.length + 2 * idLength + behindId.length + behindRepeatedId.length,
] as const;

let timeMs = Number.NaN;
let timeText = '';

/** RFC 3339. What is asked at the same moment has one text. */
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
 * Writes what `eventJson` says of the head of a message: heads are most of what agents are told, so they become
 * octets at once. What one head has in common with those before is not written again, but copied.
 */
export class HeadWriter {
  readonly #requestFields = new HeaderJsonCache();
  readonly #responseFields = new HeaderJsonCache();
  #last: RequestMetadata | null = null;
  /** What the last head has from the name of the server to the time. */
  #lastOctets = new Uint8Array(0);

  /** Adds the head of a request. */
  readonly addRequest = (into: JsonOctets, event: RequestHeadersEvent): void => {
    const { correlationId, metadata } = event;
    const start = into.length;
    const hasUsualId = this.#addIds(into, correlationId, metadata.requestId);
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
    this.#requestFields.add(into, event.headers, hasUsualId ? correlationId : null, start + idPlaces[0]);
    into.addAscii('}');
  };

  /** Adds the head of a response. */
  readonly addResponse = (into: JsonOctets, event: ResponseHeadersEvent): void => {
    into.addAscii('{"correlation_id":');
    into.addString(event.correlationId);
    into.addAscii(',"status":');
    into.addAscii(String(event.status));
    into.addAscii(',"headers":');
    this.#responseFields.add(into, event.headers, null, 0);
    into.addAscii('}');
  };

  /** Up to the address of the client. Whether the id is one of those that our gateway makes, in its places. */
  #addIds(into: JsonOctets, correlationId: string, requestId: string): boolean {
    const isUsual = correlationId.length === idLength && requestId === correlationId;
    if (isUsual && into.addForm(beginning, correlationId, idPlaces)) return true;
    into.addAscii('{"correlation_id":');
    into.addString(correlationId);
    into.addAscii(',"metadata":{"correlation_id":');
    into.addString(correlationId);
    into.addAscii(',"request_id":');
    into.addString(requestId);
    into.addAscii(',"client_ip":');
    return false;
  }

  /** What is asked of one route at the same moment has the same text. */
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
