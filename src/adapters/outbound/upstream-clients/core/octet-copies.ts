/** Octets: memory of up to this is cut from what Node shares among small buffers. */
const smallOctets = 4_096;
/** Octets of the largest memory that is used again: what is read at once. */
const largestOctets = 65_536;
/** Octets that are kept of each size while nobody uses them. */
const keptOctets = 1_048_576;

/** Memory that is free, by size: each is twice the one before, so that what a piece lies in is less than twice its octets. */
const free: ArrayBuffer[][] = [[], [], [], []];
/** What somebody has: memory can be given back once, and by none but this file made. */
const lent = new WeakSet<ArrayBufferLike>();

/** The place in `free` of what so many octets fit in. */
const sizeOf = (octets: number): number => 19 - Math.clz32(octets - 1);

/** Octets of the memory that `roomFor` gives for so many. */
const memoryFor = (octets: number): number =>
  octets <= smallOctets || octets > largestOctets ? octets : 8_192 << sizeOf(octets);

/**
 * Room for so many octets, all of which are to be written before anybody reads them. It is collected as any other, or given
 * back with `reuse`: fresh memory is cold, and costs more than all else that is done with a large piece.
 */
export const roomFor = (octets: number): Buffer => {
  if (octets <= smallOctets || octets > largestOctets) return Buffer.allocUnsafe(octets);
  const size = sizeOf(octets);
  const memory = free[size]?.pop() ?? Buffer.allocUnsafeSlow(memoryFor(octets)).buffer;
  lent.add(memory);
  return Buffer.from(memory, 0, octets);
};

/** Whoever had this piece, from its first octet on, looks at it no more, and nobody else does: its memory is used again. */
export const reuse = (piece: Uint8Array): void => {
  const { buffer } = piece;
  if (piece.length <= smallOctets || !(buffer instanceof ArrayBuffer) || !lent.delete(buffer)) return;
  const size = sizeOf(buffer.byteLength);
  const kept = free[size];
  if (kept !== undefined && (kept.length + 1) * buffer.byteLength <= keptOctets) kept.push(buffer);
};

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
