import { describe, expect, it } from 'vitest';
import { FrameDecoder } from '../../../../../src/adapters/wire/agent-frames/frame-decoder.js';
import { agentMessageNames, gatewayMessageNames } from '../../../../../src/adapters/wire/agent-frames/message-codes.js';

const octets = (...values: number[]): Uint8Array => Uint8Array.from(values);
const text = (payload: Uint8Array): string => new TextDecoder().decode(payload);

describe('FrameDecoder', () => {
  it('reads frames that were written by hand', () => {
    const decoder = new FrameDecoder(agentMessageNames);
    // Length 3 (type and two octets), type 0x20, "{}"; then length 1, type 0x42, no payload.
    decoder.push(octets(0, 0, 0, 3, 0x20, 0x7b, 0x7d, 0, 0, 0, 1, 0x42));
    const first = decoder.next();
    expect([first?.name, text(first?.payload ?? octets())]).toEqual(['agent_response', '{}']);
    expect(decoder.next()).toEqual({ name: 'pong', payload: octets() });
    expect(decoder.next()).toBeNull();
    expect(decoder.failure).toBeNull();
  });

  it.each<[string, Uint8Array, string]>([
    ['length zero, before any type byte comes', octets(0, 0, 0, 0), 'a frame of length zero'],
    ['one octet too many, before any payload comes', octets(1, 0, 0, 1), 'a frame of 16777217 octets'],
    ['a length of 32 bits', octets(255, 255, 255, 255), 'a frame of 4294967295 octets'],
    ['an unknown type, before any payload comes', octets(0, 0, 1, 0, 0x43), 'a message of the unknown type 67'],
    ['a type of the other direction', octets(0, 0, 0, 1, 0x20), 'a message of the unknown type 32'],
  ])('refuses %s', (_case, input, failure) => {
    const decoder = new FrameDecoder(gatewayMessageNames);
    decoder.push(input);
    expect(decoder.next()).toBeNull();
    expect(decoder.failure).toBe(failure);
    decoder.push(octets(0, 0, 0, 1, 0x41));
    expect(decoder.next()).toBeNull();
  });

  it('keeps what is not read yet when the memory of its input is used again', () => {
    const decoder = new FrameDecoder(agentMessageNames);
    const shared = Buffer.from([0, 0, 0, 2, 0x20, 0x61, 0, 0, 0, 2, 0x20, 0x62, 0, 0, 0, 3, 0x20, 0x63]);
    decoder.push(shared);
    expect(text(decoder.next()?.payload ?? octets())).toBe('a');
    decoder.keepRest();
    shared.fill(0xff);
    expect(text(decoder.next()?.payload ?? octets())).toBe('b');
    expect(decoder.next()).toBeNull();
    decoder.push(octets(0x64));
    decoder.keepRest();
    expect(text(decoder.next()?.payload ?? octets())).toBe('cd');
    expect(decoder.heldBytes).toBe(0);
  });

  it('takes a frame of the greatest length', () => {
    const decoder = new FrameDecoder(agentMessageNames);
    decoder.push(octets(1, 0, 0, 0, 0x42));
    const piece = new Uint8Array(1_048_576).fill(7);
    for (let index = 0; index < 16; index += 1) decoder.push(index < 15 ? piece : piece.subarray(1));
    expect(decoder.next()?.payload.length).toBe(16_777_215);
    expect(decoder.failure).toBeNull();
  });

  it('knows whether an end of the stream cuts a frame off', () => {
    const decoder = new FrameDecoder(agentMessageNames);
    const states = [decoder.isInsideFrame];
    for (const octet of octets(0, 0, 0, 2, 0x42, 9)) {
      decoder.push(octets(octet));
      decoder.next();
      states.push(decoder.isInsideFrame);
    }
    expect(states).toEqual([false, false, false, false, true, true, false]);
  });
});
