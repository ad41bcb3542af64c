import type {
  RequestHeadersEvent,
  RequestMetadata,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import type { JsonOctets } from './json-octets.js';
import { KnownFields } from './known-fields.js';

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
 * Writes what `eventJson` says of the head of a message: heads are most of what agents are told, so they become octets at once.
 * What one head has in common with those before is not written again, but copied.
 */
export class HeadWriter {
  readonly #requestFields = new KnownFields();
  readonly #responseFields = new KnownFields();
  #route: RequestMetadata | null = null;
  #routeOctets = new Uint8Array(0);

  /** Adds the head of a request. */
  readonly addRequest = (into: JsonOctets, event: RequestHeadersEvent): void => {
    const { metadata } = event;
    into.addAscii('{"correlation_id":');
    into.addString(event.correlationId);
    into.addAscii(',"metadata":{"correlation_id":');
    into.addString(event.correlationId);
    into.addAscii(',"request_id":');
    into.addString(metadata.requestId);
    into.addAscii(',"client_ip":');
    into.addString(metadata.clientIp);
    into.addAscii(',"client_port":');
    into.addAscii(String(metadata.clientPort));
    if (this.#route !== null && isSameRoute(this.#route, metadata)) into.add(this.#routeOctets);
    else this.#addRoute(into, metadata);
    into.addAscii(',"timestamp":"');
    into.addAscii(timeOf(metadata.timestampMs));
    into.addAscii('","traceparent":');
    into.addOptionalString(metadata.traceparent);
    into.addAscii('},"method":');
    into.addString(event.method);
    into.addAscii(',"uri":');
    into.addString(event.uri);
    into.addAscii(',"headers":');
    this.#requestFields.add(into, event.headers);
    into.addAscii('}');
  };

  /** Adds the head of a response. */
  readonly addResponse = (into: JsonOctets, event: ResponseHeadersEvent): void => {
    into.addAscii('{"correlation_id":');
    into.addString(event.correlationId);
    into.addAscii(',"status":');
    into.addAscii(String(event.status));
    into.addAscii(',"headers":');
    this.#responseFields.add(into, event.headers);
    into.addAscii('}');
  };

  #addRoute(into: JsonOctets, metadata: RequestMetadata): void {
    const start = into.length;
    addRoute(into, metadata);
    this.#route = metadata;
    this.#routeOctets = into.view().slice(start);
  }
}
