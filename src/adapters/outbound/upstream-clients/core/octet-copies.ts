import { memoryFor, reuse, roomFor } from './piece-memory.js';

/** One character for each octet. */
export const octetText = (octets: Uint8Array, start: number, end: number): string =>
  bufferOf(octets).toString('latin1', start, end);

/** The same octets, not a copy. */
export const bufferOf = (octets: Uint8Array): Buffer =>
  octets instanceof Buffer ? octets : Buffer.from(octets.buffer, octets.byteOffset, octets.length);

/** INVARIANT: what leaves the reader is a copy, because the buffer that is read into has other octets soon. */
export const copyOf = (octets: Uint8Array, start: number, end: number): Uint8Array => {
  const copy = roomFor(end - start);
  bufferOf(octets).copy(copy, 0, start, end);
  return copy;
};

/** What was filled of a buffer, whose memory is not kept for much less than it holds. */
export const trimmed = (buffer: Buffer, length: number): Uint8Array => {
  if (length * 2 >= memoryFor(buffer.length)) return buffer.subarray(0, length);
  const copy = copyOf(buffer, 0, length);
  reuse(buffer);
  return copy;
};
