/** Octets; Node cuts smaller buffers from shared memory. */
const smallOctets = 4_096;
/** Largest recycled buffer: the size of one read. */
const largestOctets = 65_536;
/** Free octets kept per size. */
const keptOctets = 1_048_576;

/** Free memory by size. Sizes double, so a buffer is less than twice its content. */
const free: ArrayBuffer[][] = [[], [], [], []];
/** Memory in use; it can be returned once, and only if it came from here. */
const lent = new WeakSet<ArrayBufferLike>();

/** Index in `free` for a size. */
const sizeOf = (octets: number): number => 19 - Math.clz32(octets - 1);

/** Size of the memory that `roomFor` gives for `octets`. */
const memoryFor = (octets: number): number =>
  octets <= smallOctets || octets > largestOctets ? octets : 8_192 << sizeOf(octets);

/**
 * An uninitialized buffer, to be filled before anything reads it. It is garbage-collected, or
 * recycled with `reuse`: fresh memory is cold and costs more than all other work on a large chunk.
 */
export const roomFor = (octets: number): Buffer => {
  if (octets <= smallOctets || octets > largestOctets) return Buffer.allocUnsafe(octets);
  const size = sizeOf(octets);
  const memory = free[size]?.pop() ?? Buffer.allocUnsafeSlow(memoryFor(octets)).buffer;
  lent.add(memory);
  return Buffer.from(memory, 0, octets);
};

/** Recycles the memory of a chunk that nothing uses any more. It must start at the first octet. */
export const reuse = (piece: Uint8Array): void => {
  const { buffer } = piece;
  if (piece.length <= smallOctets || !(buffer instanceof ArrayBuffer) || !lent.delete(buffer)) return;
  const size = sizeOf(buffer.byteLength);
  const kept = free[size];
  if (kept !== undefined && (kept.length + 1) * buffer.byteLength <= keptOctets) kept.push(buffer);
};

/** One character per octet (latin1). */
export const octetText = (octets: Uint8Array, start: number, end: number): string =>
  bufferOf(octets).toString('latin1', start, end);

/** A view, not a copy. */
export const bufferOf = (octets: Uint8Array): Buffer =>
  octets instanceof Buffer ? octets : Buffer.from(octets.buffer, octets.byteOffset, octets.length);

/** INVARIANT: chunks that leave the reader are copies, because the read buffer is reused. */
export const copyOf = (octets: Uint8Array, start: number, end: number): Uint8Array => {
  const copy = roomFor(end - start);
  bufferOf(octets).copy(copy, 0, start, end);
  return copy;
};

/** The filled part of a buffer; copied if much smaller than its memory. */
export const trimmed = (buffer: Buffer, length: number): Uint8Array => {
  if (length * 2 >= memoryFor(buffer.length)) return buffer.subarray(0, length);
  const copy = copyOf(buffer, 0, length);
  reuse(buffer);
  return copy;
};
