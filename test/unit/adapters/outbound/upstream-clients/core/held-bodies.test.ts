import { describe, expect, it } from 'vitest';
import {
  Http1ResponseReader,
  type ResponseSink,
} from '../../../../../../src/adapters/outbound/upstream-clients/core/http1-response-reader.js';
import { Http1ResponseBody } from '../../../../../../src/adapters/outbound/upstream-clients/core/received-response.js';

/** What has come of a body that nobody reads. */
class UnreadBody implements ResponseSink {
  readonly body = new Http1ResponseBody({ resumeReading: () => undefined, cancel: () => undefined }, null);

  interimResponse(): boolean {
    return true;
  }
  wholeResponse(): void {}
  responseBegun(): void {}
  responsePiece(piece: Uint8Array): void {
    this.body.push(piece);
  }
  responseEnded(): void {}
  protocolSwitched(): void {}
  responseMalformed(): void {}
}

/** Octets of the memory that its pieces keep. */
const heldBy = (body: Http1ResponseBody): number => {
  const memories = new Set<ArrayBufferLike>();
  for (let piece = body.read(); piece instanceof Uint8Array; piece = body.read()) memories.add(piece.buffer);
  let octets = 0;
  for (const memory of memories) octets += memory.byteLength;
  return octets;
};

describe('a body that nobody reads', () => {
  const chunk = (length: number): string => `${length.toString(16).padStart(8, '0')}\r\n${'a'.repeat(length)}\r\n`;

  it.each([
    ['many small chunks in each read', chunk(1).repeat(4_000)],
    ['one small chunk in each read', chunk(1)],
    ['a chunk of 3000 octets in each read', chunk(3_000)],
    ['a large chunk in each read', chunk(60_000)],
  ])('of %s keeps little more memory than it may', (_, text) => {
    const unread = new UnreadBody();
    const reader = new Http1ResponseReader();
    reader.expect(false, false);
    const read = (octets: string): void => reader.read(Buffer.from(octets, 'latin1'), octets.length, unread);
    read('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    while (!unread.body.isFull) read(text);
    const held = heldBy(unread.body);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(131_072 + 65_536);
  });
});

describe('the pieces of a body that somebody keeps', () => {
  /** A read of so many octets, half of which are content. */
  const read = (octets: number): string => '5\r\naaaaa\r\n'.repeat(octets / 10);

  it.each([4_200, 8_200, 16_400, 32_800])('lie in little more than twice their octets: reads of %i', (octets) => {
    const pieces: Uint8Array[] = [];
    const keeping = new UnreadBody();
    keeping.responsePiece = (piece) => void pieces.push(piece);
    const reader = new Http1ResponseReader();
    reader.expect(false, false);
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (const text of [head, ...Array.from({ length: 100 }, () => read(octets))]) {
      reader.read(Buffer.from(text, 'latin1'), text.length, keeping);
    }
    let memory = 0;
    for (const each of new Set(pieces.map(({ buffer }) => buffer))) memory += each.byteLength;
    const content = (100 * octets) / 2;
    expect(pieces.reduce((sum, piece) => sum + piece.length, 0)).toBe(content);
    expect(memory).toBeLessThan(content * 2 + 16_384);
  });
});
