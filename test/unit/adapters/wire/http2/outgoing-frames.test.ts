import { describe, expect, it } from 'vitest';
import { OutgoingFrames } from '../../../../../src/adapters/wire/http2/outgoing-frames.js';
import { connectionPreface, frame, frameTypes, getRequest, uint32 } from '../../../../support/gateway/http2-frames.js';

const goaway = (code: number, debug = ''): Buffer =>
  frame(frameTypes.goaway, 0, 0, Buffer.concat([uint32(7), uint32(code), Buffer.from(debug)]));

const said = (sender: 'client' | 'server', ...pieces: readonly Uint8Array[]): number => {
  const frames = new OutgoingFrames(sender);
  for (const piece of pieces) frames.take(piece);
  return frames.errorCode;
};

describe('what one side of a connection sends', () => {
  it('gives nothing up with other frames, whatever they hold', () => {
    const octets = Buffer.concat([goaway(11), goaway(11)]);
    expect(said('server', frame(frameTypes.data, 0, 1, octets), frame(frameTypes.ping, 0, 0, octets))).toBe(0);
  });

  it('gives nothing up with a GOAWAY of no error', () => {
    expect(said('server', goaway(0, 'bye'), getRequest(1))).toBe(0);
  });

  it.each([
    [1, goaway(1)],
    [9, goaway(9, 'with words behind it')],
    [0xffffffff, goaway(0xffffffff)],
  ])('gives up with a GOAWAY of code %i', (code, octets) => {
    expect(said('server', octets)).toBe(code);
  });

  it('gives up behind a GOAWAY of no error, and stays so', () => {
    expect(said('server', goaway(0), goaway(2), goaway(0))).toBe(2);
  });

  it('of a client begins with the preface', () => {
    expect(said('client', connectionPreface, frame(frameTypes.settings, 0, 0), goaway(3))).toBe(3);
    expect(said('server', goaway(3))).toBe(3);
    // Its first 24 octets are no frames.
    expect(said('client', goaway(3), Buffer.alloc(7))).toBe(0);
  });

  it('counts the octets of its DATA frames alone', () => {
    const frames = new OutgoingFrames('server');
    for (const piece of [getRequest(1), frame(frameTypes.data, 0, 1, Buffer.alloc(7)), goaway(0)]) frames.take(piece);
    frames.take(frame(frameTypes.data, 0, 3, Buffer.alloc(300)));
    expect(frames.dataOctets).toBe(307);
  });

  it('is not given up before the code is there', () => {
    const octets = goaway(256);
    const frames = new OutgoingFrames('server');
    for (const [at, octet] of octets.entries()) {
      frames.take(Uint8Array.of(octet));
      expect(frames.errorCode).toBe(at < 16 ? 0 : 256);
    }
  });
});
