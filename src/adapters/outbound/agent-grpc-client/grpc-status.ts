import type { StatusObject } from '@grpc/grpc-js';
import type { ConnectionEnd } from '../../../application/ports/gateway/agent-connector.js';

/** Codes of gRPC by their numbers. */
const names = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
const refusals: readonly string[] = ['PERMISSION_DENIED', 'UNAUTHENTICATED'];
/** How @grpc/grpc-js begins to say that a message was too large, as it came or inflated. */
const tooLarge = 'Received message ';
/** Characters of the agent's own words that go into the log. */
const maximumDetailLength = 500;

/** How a stream ended. */
export const statusEnd = ({ code, details }: Pick<StatusObject, 'code' | 'details'>): ConnectionEnd => {
  const name = names[code] ?? 'UNKNOWN';
  if (name === 'OK') return { kind: 'ended', detail: 'the agent closed it' };
  const detail = `${name}: ${details}`.slice(0, maximumDetailLength);
  if (refusals.includes(name)) return { kind: 'refused', detail };
  const isMalformed = name === 'RESOURCE_EXHAUSTED' && details.startsWith(tooLarge);
  return { kind: isMalformed ? 'malformed' : 'ended', detail };
};
