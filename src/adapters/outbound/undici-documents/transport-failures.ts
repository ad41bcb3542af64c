import { errors } from 'undici';
import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import type { Err } from '../../../domain/shared/result.js';
import { documentFailure } from './document-failures.js';
import type { DocumentLimits } from './document-limits.js';

/** Characters of a system's error code that a log line gets, at the most. */
const codeLength = 64;

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code.slice(0, codeLength) : 'for a reason that is not known';
};

/** Puts what undici or the system reported into the words of the port. Its messages are left out: they may quote the answer. */
export const transportFailure = (error: unknown, { connectMs, headOctets }: DocumentLimits): Err<KeySetFailure> => {
  if (error instanceof errors.ConnectTimeoutError) {
    return documentFailure('timed_out', `no connection within ${connectMs} ms`);
  }
  if (error instanceof errors.HeadersOverflowError) {
    return documentFailure('too_large', `the head of the answer is over ${headOctets} bytes`);
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError) {
    return documentFailure('malformed', 'the answer is not well-formed HTTP');
  }
  if (error instanceof errors.SocketError) {
    return documentFailure('unreachable', 'the connection ended before the answer did');
  }
  return documentFailure('unreachable', `the connection failed (${codeOf(error)})`);
};
