import { afterEach, describe, expect, it, vi } from 'vitest';
import { HeaderBlockBuffer, maxBlockOctets } from '../../../../../src/adapters/wire/http2/header-block-scanner.js';
import { connectionPreface, frame, frameTypes } from '../../../../support/gateway/http2-frames.js';
import { octetByOctet, scanned } from '../../../../support/gateway/scanned-octets.js';

afterEach(() => vi.restoreAllMocks());

const endHeaders = 4;
const block = (octets: number, flags: number, stream = 1): Buffer =>
  frame(frameTypes.headers, flags, stream, Buffer.alloc(octets, 1));
const more = (octets: number, flags: number, stream = 1): Buffer => frame(9, flags, stream, Buffer.alloc(octets, 2));
const data = frame(frameTypes.data, 0, 1, Buffer.alloc(100, 3));
const goaway = (lastStream: number, code: number, debug = ''): Buffer => {
  const payload = Buffer.alloc(8 + debug.length);
  payload.writeUInt32BE(lastStream, 0);
  payload.writeUInt32BE(code, 4);
  payload.write(debug, 8);
  return frame(7, 0, 0, payload);
};

describe('a header block', () => {
  it('is passed on with the octets around it, which are not copied', () => {
    const whole = Buffer.concat([data, block(20, endHeaders), data]);
    const { passed } = scanned('server', [whole]);
    expect(passed).toHaveLength(1);
    expect(passed[0]).toBe(whole);
  });

  it('is held until its last octet is there, and passed on in one piece', () => {
    const octets = Buffer.concat([block(20, 0), more(0, 0), more(7, endHeaders)]);
    const { passed } = scanned('server', octetByOctet(octets));
    expect(passed.map((piece) => Buffer.from(piece).toString('hex'))).toEqual([octets.toString('hex')]);
    const before = scanned('server', [data, octets.subarray(0, -1)]);
    expect([before.passed, before.held]).toEqual([[data], octets.length - 1]);
  });

  it('is known behind the preface of a client', () => {
    const octets = Buffer.concat([connectionPreface, block(20, 0)]);
    const { passed } = scanned('client', [octets]);
    expect(Buffer.concat(passed)).toEqual(connectionPreface);
  });

  it('is one of a push, too', () => {
    expect(scanned('server', [frame(5, 0, 1, Buffer.alloc(10))]).passed).toEqual([]);
  });

  it('may have nine frames, and is held as a whole', () => {
    const frames = [block(16_384, 0), ...Array.from({ length: 7 }, () => more(16_384, 0))];
    const held = scanned('server', [...frames, more(16_384, endHeaders).subarray(0, -1)]);
    expect([held.fault, held.passed.length, held.held]).toEqual([null, 0, maxBlockOctets - 1]);
    const whole = scanned('server', [...frames, more(16_384, endHeaders)]);
    expect(whole.passed.map((piece) => piece.length)).toEqual([maxBlockOctets]);
  });

  it.each([
    ['has ten frames', 'too_many_frames', [block(1, 0), ...Array.from({ length: 9 }, () => more(1, 0))]],
    ['is interrupted by another type', 'interrupted_block', [block(1, 0), data]],
    ['is interrupted by another stream', 'interrupted_block', [block(1, 0), more(1, endHeaders, 3)]],
    ['begins anew', 'interrupted_block', [block(1, 0), block(1, endHeaders)]],
    ['has no beginning', 'stray_continuation', [more(1, endHeaders)]],
    ['ends twice', 'stray_continuation', [block(1, endHeaders), more(1, endHeaders)]],
    ['has a frame that is too long', 'frame_too_long', [block(16_385, endHeaders)]],
    ['goes on with a frame that is too long', 'frame_too_long', [block(1, 0), more(16_385, endHeaders)]],
  ] as const)('that %s ends the connection: nothing of it, and nothing behind it, is passed on', (_, fault, frames) => {
    const octets = Buffer.concat([data, ...frames, data]);
    for (const pieces of [[octets], octetByOctet(octets)]) {
      const result = scanned('server', pieces);
      expect([result.fault, result.held]).toEqual([fault, 0]);
      const passed = Buffer.concat(result.passed);
      expect(octets.subarray(0, passed.length).equals(passed)).toBe(true);
      expect(passed.length).toBe(
        data.length + (frames[0] === frames.at(-2) && fault === 'stray_continuation' ? frames[0].length : 0),
      );
    }
  });

  it('costs in proportion to its length where it comes octet by octet', () => {
    let copied = 0;
    const add = HeaderBlockBuffer.prototype.add;
    vi.spyOn(HeaderBlockBuffer.prototype, 'add').mockImplementation(function (
      this: HeaderBlockBuffer,
      piece: Uint8Array,
    ) {
      const roomBefore = this.room;
      add.call(this, piece);
      copied += piece.length + (this.room === roomBefore ? 0 : this.length);
    });
    const octets = Buffer.concat([block(16_384, 0), ...Array.from({ length: 7 }, () => more(16_384, 0)), more(9, 4)]);
    expect(scanned('server', octetByOctet(octets)).passed).toHaveLength(1);
    expect(copied).toBeGreaterThanOrEqual(octets.length);
    expect(copied).toBeLessThanOrEqual(4 * octets.length);
  });
});

describe('a GOAWAY', () => {
  it('is taken out, and told', () => {
    const octets = Buffer.concat([data, goaway(5, 11, 'calm down'), data, goaway(0x80000003, 0)]);
    for (const pieces of [[octets], octetByOctet(octets)]) {
      const { passed, goaways, fault } = scanned('server', pieces);
      expect([goaways, fault]).toEqual([
        [
          [11, 5],
          [0, 3],
        ],
        null,
      ]);
      expect(Buffer.concat(passed)).toEqual(Buffer.concat([data, data]));
    }
  });

  it.each([
    ['says too little', frame(7, 0, 0, Buffer.alloc(7))],
    ['is of a stream', frame(7, 0, 1, Buffer.alloc(8))],
    ['is too long', frame(7, 0, 0, Buffer.alloc(16_385))],
  ])('that %s ends the connection', (_, octets) => {
    expect(scanned('server', [octets])).toMatchObject({ fault: 'malformed_goaway', passed: [], goaways: [] });
  });
});
