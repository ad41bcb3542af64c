import { describe, expect, it } from 'vitest';
import {
  readServingStatus,
  writeHealthRequest,
} from '../../../../../src/adapters/outbound/health-probes/grpc-probe.js';

const octets = (...numbers: readonly number[]): Uint8Array => Uint8Array.from(numbers);

describe('the request of a gRPC health check', () => {
  it('names the service, or is empty where the server as a whole is meant', () => {
    expect([...writeHealthRequest('')]).toEqual([]);
    expect([...writeHealthRequest('a.B')]).toEqual([0x0a, 3, 0x61, 0x2e, 0x42]);
    expect([...writeHealthRequest('é')]).toEqual([0x0a, 2, 0xc3, 0xa9]);
  });

  it('says how long a long name is', () => {
    expect([...writeHealthRequest('x'.repeat(127)).subarray(0, 3)]).toEqual([0x0a, 127, 0x78]);
    expect([...writeHealthRequest('x'.repeat(300)).subarray(0, 4)]).toEqual([0x0a, 0xac, 0x02, 0x78]);
  });
});

describe('the answer of a gRPC health check', () => {
  it.each([
    ['nothing, which is 0', octets(), 0],
    ['serving', octets(8, 1), 1],
    ['not serving', octets(8, 2), 2],
    ['a number of more octets', octets(8, 0xac, 0x02), 300],
    ['its last status, where there are two', octets(8, 1, 8, 2), 2],
    [
      'a status among fields of every kind',
      octets(16, 5, 0x1a, 1, 9, 8, 1, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x2d, 1, 2, 3, 4),
      1,
    ],
    ['a status behind an empty field', octets(0x12, 0, 8, 1), 1],
  ])('is %s', (_name, message, status) => {
    expect(readServingStatus(message)).toBe(status);
  });

  it.each([
    ['a tag without a value', octets(8)],
    ['a number that is cut off', octets(8, 0x80)],
    ['a number without an end', octets(8, ...Array<number>(11).fill(0x81))],
    ['a field number of 0', octets(0, 1)],
    ['a status that is a text', octets(0x0a, 1, 1)],
    ['a status of four octets', octets(0x0d, 1, 0, 0, 0)],
    ['a group', octets(0x13, 0x14)],
    ['a text longer than the message', octets(0x12, 5, 1)],
    ['eight octets that are seven', octets(0x11, 1, 2, 3, 4, 5, 6, 7)],
    ['four octets that are three', octets(0x15, 1, 2, 3)],
    ['a length that is cut off', octets(0x12, 0x80)],
  ])('is none where it holds %s', (_name, message) => {
    expect(readServingStatus(message)).toBeNull();
  });
});
