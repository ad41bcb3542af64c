import { requestHead } from '../../../wire/http1/read-request-head.js';
import type { ConnectionSurroundings } from './connection-surroundings.js';
import { type BodyConnection, CoreBody } from './core-body.js';

/** The body of the request whose head was read last; null where it has none. */
export const newBody = (connection: BodyConnection, { patience, budget }: ConnectionSurroundings): CoreBody | null => {
  const { isChunked, contentLength, expectsContinue, minorVersion } = requestHead;
  if (contentLength <= 0 && !isChunked) return null;
  const length = isChunked ? null : contentLength;
  return new CoreBody(connection, length, expectsContinue && minorVersion === 1, patience.body, budget);
};
