import type { RequestHeadersEvent, ResponseHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { writeHeaders } from './header-fields.js';
import type { JsonOctets } from './json-octets.js';

/** Fields of a head whose names are compared with one another. */
const maximumCompared = 64;

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

const hasRepeated = (headers: HeaderList): boolean => {
  for (let index = 2; index < headers.length; index += 2) {
    for (let earlier = 0; earlier < index; earlier += 2) if (headers[earlier] === headers[index]) return true;
  }
  return false;
};

/** As `writeHeaders`; the members of an object have no order. */
const addHeaders = (into: JsonOctets, headers: HeaderList): void => {
  if (headers.length > 2 * maximumCompared || hasRepeated(headers)) {
    into.addText(JSON.stringify(writeHeaders(headers)));
    return;
  }
  for (let index = 0; index + 1 < headers.length; index += 2) {
    into.addAscii(index === 0 ? '{' : '],');
    into.addString(headers[index] as string);
    into.addAscii(':[');
    into.addString(headers[index + 1] as string);
  }
  into.addAscii(headers.length < 2 ? '{}' : ']}');
};

const addRequestHead = (into: JsonOctets, event: RequestHeadersEvent): void => {
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
  into.addAscii(',"timestamp":');
  into.addString(timeOf(metadata.timestampMs));
  into.addAscii(',"traceparent":');
  into.addOptionalString(metadata.traceparent);
  into.addAscii('},"method":');
  into.addString(event.method);
  into.addAscii(',"uri":');
  into.addString(event.uri);
  into.addAscii(',"headers":');
  addHeaders(into, event.headers);
  into.addAscii('}');
};

const addResponseHead = (into: JsonOctets, event: ResponseHeadersEvent): void => {
  into.addAscii('{"correlation_id":');
  into.addString(event.correlationId);
  into.addAscii(',"status":');
  into.addAscii(String(event.status));
  into.addAscii(',"headers":');
  addHeaders(into, event.headers);
  into.addAscii('}');
};

/** Adds what `eventJson` says of the head of a message: heads are most of what agents are told, so they become octets at once. */
export const addHead = (into: JsonOctets, event: RequestHeadersEvent | ResponseHeadersEvent): void => {
  if (event.kind === 'request_headers') addRequestHead(into, event);
  else addResponseHead(into, event);
};
