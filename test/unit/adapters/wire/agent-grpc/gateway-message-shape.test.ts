import { describe, expect, it } from 'vitest';
import { gatewayMessageFault } from '../../../../../src/adapters/wire/agent-grpc/message-shape.js';
import { field } from '../../../../support/shared/raw-http2-gateway.js';

const cutOff = 'it is truncated or not a message';
const none = 'it holds no supported message';

describe('the shape of a gateway message', () => {
  it.each<readonly [string, Uint8Array, string | null]>([
    ['a message', field(2, field(2, 'GET')), null],
    ['an empty message of a kind', field(11, ''), null],
    ['a message beside what a later version adds', Buffer.concat([field(12, 'new'), field(11, '')]), null],
    [
      'a field of every wire type',
      field(2, Buffer.from([0x08, 0x01, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1d, 1, 2, 3, 4])),
      null,
    ],
    ['nothing', new Uint8Array(0), none],
    ['what a later version adds alone', field(12, 'new'), none],
    ['two kinds', Buffer.concat([field(2, ''), field(3, '')]), 'it holds two messages'],
    ['one kind twice', Buffer.concat([field(2, ''), field(2, '')]), 'it holds two messages'],
    ['a kind that is a number', Buffer.from([0x10, 0x01]), 'it is not a message of the protocol'],
    ['a field of number 0', field(2, Buffer.from([0x02, 0x00])), cutOff],
    ['a group', field(2, Buffer.from([0x0b, 0x0c])), cutOff],
    ['a length beyond the end', Buffer.from([0x12, 0x05, 0x00]), cutOff],
    [
      'a field that ends beyond its message',
      Buffer.concat([Buffer.from([0x12, 0x03, 0x12, 0x02, 0x00]), Buffer.alloc(9)]),
      cutOff,
    ],
    ['a number that never ends', Buffer.from(Array.from({ length: 11 }, () => 0xff)), cutOff],
    ['a number that is cut off', Buffer.from([0x12, 0x80]), cutOff],
    [
      'a length that no double holds',
      Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
      cutOff,
    ],
  ])('of %s', (_, octets, fault) => {
    expect(gatewayMessageFault(octets)).toBe(fault);
  });

  it('is bounded: in fields, and in versions of a handshake', () => {
    expect(gatewayMessageFault(field(2, Buffer.alloc(2 * 19_999, field(5, ''))))).toBeNull();
    expect(gatewayMessageFault(field(2, Buffer.alloc(2 * 20_000, field(5, ''))))).toBe('it holds too many fields');
    expect(gatewayMessageFault(field(1, field(1, Buffer.alloc(1_024, 2))))).toBeNull();
    expect(gatewayMessageFault(field(1, field(1, Buffer.alloc(1_025, 2))))).toBe('it holds too many versions');
  });
});
