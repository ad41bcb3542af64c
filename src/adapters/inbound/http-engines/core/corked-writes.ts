import type { Socket } from 'node:net';

const slabOctets = 65_536;
/** Octets of text and content together that go out as one piece; more is handed to the system as it lies. */
const maxJoinedOctets = 16_384;

/** Writes what belongs together so that the system is called once for it. */
export class CorkedWrites {
  #slab = Buffer.allocUnsafeSlow(slabOctets);
  /** Octets of the slab that may still be read by a write under way. */
  #used = 0;

  /**
   * Writes a text (one character for each octet), octets and another text. Says what `socket.write` does.
   *
   * @param written called when all of it was taken by the system, or with an error
   */
  write(
    socket: Socket,
    before: string,
    octets: Uint8Array,
    behind: string,
    written: (() => void) | undefined,
  ): boolean {
    const length = before.length + octets.length + behind.length;
    if (length > maxJoinedOctets) return inParts(socket, before, octets, behind, written);
    if (this.#used + length > slabOctets) {
      this.#slab = Buffer.allocUnsafeSlow(slabOctets);
      this.#used = 0;
    }
    const slab = this.#slab;
    const start = this.#used;
    slab.write(before, start, 'latin1');
    slab.set(octets, start + before.length);
    if (behind !== '') slab.write(behind, start + before.length + octets.length, 'latin1');
    const takesMore = socket.write(slab.subarray(start, start + length), written);
    // INVARIANT: where the stream holds nothing any more, the system has all of it, and the place can be written to again.
    if (socket.writableLength > 0) this.#used = start + length;
    return takesMore;
  }
}

const inParts = (
  socket: Socket,
  before: string,
  octets: Uint8Array,
  behind: string,
  written: (() => void) | undefined,
): boolean => {
  socket.cork();
  if (before !== '') socket.write(before, 'latin1');
  const takesMore = socket.write(octets, written);
  const result = behind === '' ? takesMore : socket.write(behind, 'latin1', written);
  socket.uncork();
  return result;
};
