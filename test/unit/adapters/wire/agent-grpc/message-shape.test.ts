import { fileURLToPath } from 'node:url';
import { loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';
import { describe, expect, it } from 'vitest';
import {
  agentToProxyShape,
  checkAgentMessage,
  proxyControlShape,
} from '../../../../../src/adapters/wire/agent-grpc/message-shape.js';
import type { FieldShape, MessageShape } from '../../../../../src/adapters/wire/agent-messages/field-kinds.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { field } from '../../../../support/shared/raw-http2-gateway.js';

interface FieldDescriptor {
  readonly number: number;
  readonly label: string;
  readonly type: string;
  readonly typeName: string;
}

interface MessageDescriptor {
  readonly name: string;
  readonly field: readonly FieldDescriptor[];
  readonly nestedType: readonly MessageDescriptor[];
}

const kinds: Readonly<Record<string, FieldShape>> = {
  TYPE_BOOL: 'small',
  TYPE_UINT32: 'small',
  TYPE_INT32: 'small',
  TYPE_UINT64: 'large',
  TYPE_FLOAT: 'float',
  TYPE_DOUBLE: 'double',
  TYPE_STRING: 'text',
};

const proto = loadSync(fileURLToPath(new URL('../../../../../proto/agent-service-v2.proto', import.meta.url)));

const shapeOf = (message: MessageDescriptor): MessageShape =>
  Object.fromEntries(
    message.field.map(({ number, label, type, typeName }) => {
      const inner = typeName.split('.').at(-1) ?? '';
      if (type === 'TYPE_MESSAGE') {
        const nested = message.nestedType.find(({ name }) => name === inner);
        return [number, shapeOf(nested ?? named(inner))];
      }
      const kind = kinds[type];
      if (kind === undefined) throw new Error(`${type} has no shape`);
      return [number, label === 'LABEL_REPEATED' && kind === 'small' ? 'smalls' : kind];
    }),
  );

const named = (name: string): MessageDescriptor =>
  (proto[`zentinel.agent.v2.${name}`] as MessageTypeDefinition<object, object>).type as MessageDescriptor;

const look = (octets: Uint8Array) => checkAgentMessage(octets, agentToProxyShape);
const cutOff = err('it is truncated or not a message');
const otherType = err('a field has the wrong type');
const tooMany = err('it holds too many fields');
const bytes = (...octets: number[]): Uint8Array => Uint8Array.from(octets);

describe('the shape of what an agent sends', () => {
  it('is that of the proto', () => {
    expect(agentToProxyShape).toEqual(shapeOf(named('AgentToProxy')));
    expect(proxyControlShape).toEqual(shapeOf(named('ProxyControl')));
  });

  it.each([
    ['nothing', bytes(), ok({ isText: true })],
    ['what a later version adds', Buffer.concat([field(7, ''), field(9, 'new')]), ok({ isText: true })],
    ['a text', field(8, field(2, 'ä\ufffd')), ok({ isText: true })],
    ['octets that are no text', field(8, field(2, Uint8Array.of(0xff))), ok({ isText: false })],
    ['octets that are no text, where none is known', field(8, field(9, Uint8Array.of(0xff))), ok({ isText: true })],
    ['a number below 0', field(8, bytes(0x08, ...Array(9).fill(0xff), 1)), ok({ isText: true })],
    ['one kind twice', Buffer.concat([field(7, ''), field(7, '')]), err('it holds two messages')],
    ['a length beyond the end', bytes(0x12, 0x05, 0x00), cutOff],
    ['a length beyond the message it is in', Buffer.concat([field(2, bytes(0x0a, 0x01)), field(9, '')]), cutOff],
    ['a group', field(2, bytes(0x0b, 0x0c)), cutOff],
    // A decoder takes 32 bits of it, and the field for number 2.
    ['a tag of more than 32 bits', bytes(0x92, 0x80, 0x80, 0x80, 0x10, 0x00), cutOff],
    ['a tag that is longer than it can be', bytes(0x92, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00), cutOff],
    ['a length that is longer than it can be', bytes(0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00), cutOff],
    ['a message that is a number', bytes(0x10, 0x00), otherType],
    ['a text that is a number', field(2, bytes(0x08, 0x00)), otherType],
    ['a number that is a text', field(3, field(2, 'x')), otherType],
    ['a small number of seven octets', field(3, bytes(0x10, ...Array(6).fill(0x80), 0)), otherType],
    ['a large number of seven octets', field(7, bytes(0x08, ...Array(6).fill(0x80), 0)), ok({ isText: true })],
  ])('of %s', (_, octets, expected) => {
    expect(look(octets)).toEqual(expected);
  });

  it('holds 50 000 fields at most, at whatever depth and in packed lists', () => {
    const answer = (count: number) => field(2, Buffer.alloc(2 * count, field(7, '')));
    expect(look(answer(49_999)).ok).toBe(true);
    expect(look(answer(50_000))).toEqual(tooMany);
    const operations = (count: number) => field(2, Buffer.alloc(4 * count, field(10, field(3, ''))));
    expect(look(operations(24_999)).ok).toBe(true);
    expect(look(operations(25_000))).toEqual(tooMany);
    const events = (count: number) => field(1, field(2, field(5, Buffer.alloc(count, 1))));
    expect(look(events(49_997)).ok).toBe(true);
    expect(look(events(49_998))).toEqual(tooMany);
  });

  it('counts no field within a text', () => {
    expect(look(field(2, field(3, field(2, Buffer.alloc(200_000, field(10, '')))))).ok).toBe(true);
  });
});
