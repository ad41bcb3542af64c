import type { HeaderList } from './header-list.js';
import { encodeHeaderValue } from './header-value-encoding.js';

/** gRPC status codes (doc/statuscodes.md of the gRPC project). */
const codes = {
  unknown: 2,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const codeByStatus: ReadonlyMap<number, number> = new Map([
  [400, codes.internal],
  [401, codes.unauthenticated],
  [403, codes.permissionDenied],
  [404, codes.unimplemented],
  [408, codes.deadlineExceeded],
  [413, codes.resourceExhausted],
  [429, codes.unavailable],
  [431, codes.resourceExhausted],
  [501, codes.unimplemented],
  [502, codes.unavailable],
  [503, codes.unavailable],
  [504, codes.deadlineExceeded],
]);

/** Maximum characters of a message. */
const longestMessage = 512;

/**
 * Whether a request or response belongs to a gRPC call: its media type is `application/grpc`, with optional suffix or
 * parameters. gRPC-Web (`application/grpc-web`) is a different protocol, whose clients read HTTP statuses.
 */
export const isGrpcCall = (headers: HeaderList): boolean => {
  for (let index = 0; index < headers.length; index += 2) {
    if ((headers[index] as string).toLowerCase() !== 'content-type') continue;
    return /^application\/grpc(?:$|[+; \t])/i.test(headers[index + 1] as string);
  }
  return false;
};

/** The gRPC status code for an HTTP error status. */
export const grpcCodeOf = (status: number): number => codeByStatus.get(status) ?? codes.unknown;

/** Fields of the original body, and those of a gRPC status. */
const dropped: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'grpc-status',
  'grpc-message',
  'grpc-status-details-bin',
]);

/**
 * The response head of a gRPC error (gRPC over HTTP/2, "Trailers-Only"), sent with status 200 and
 * without a body. Omits fields of the original body, and another gRPC status.
 *
 * @param message percent-encoded by this function, as gRPC requires
 */
export const grpcErrorHeaders = (status: number, message: string, headers: HeaderList): string[] => {
  const kept = [
    'Content-Type',
    'application/grpc',
    'grpc-status',
    String(grpcCodeOf(status)),
    'grpc-message',
    encodeHeaderValue(message.slice(0, longestMessage)),
  ];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!dropped.has(name.toLowerCase())) kept.push(name, headers[index + 1] as string);
  }
  return kept;
};
