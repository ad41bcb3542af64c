import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { FieldShape, MessageShape } from '../agent-messages/field-kinds.js';
import { handshakeRequest } from '../agent-messages/handshake-messages.js';
import { message } from '../agent-messages/message-table.js';
import { FieldWalk, isUtf8, wireTypes } from './field-walk.js';
import { agentToProxy, proxyControl, proxyToAgent } from './grpc-messages.js';

/** What the octets of a message are like. */
export interface MessageLook {
  /** Whether every text in it is UTF-8. A decoder puts U+FFFD for what is none, so that two texts come out as one. */
  readonly isText: boolean;
}

const isSmall = (octets: number): boolean => octets <= 5 || octets === 10;

class ShapeWalk {
  readonly #octets: Uint8Array;
  readonly #maximumFields: number;
  #fields = 0;
  isText = true;

  constructor(octets: Uint8Array, maximumFields: number) {
    this.#octets = octets;
    this.#maximumFields = maximumFields;
  }

  /** What is wrong with the message from `start` up to `end`, or null. */
  fault(shape: MessageShape, start: number, end: number): string | null {
    const walk = new FieldWalk(this.#octets, start, end);
    while (walk.next()) {
      this.#fields += 1;
      const fault = this.#fieldFault(shape[walk.field], walk);
      if (fault !== null) return fault;
      if (this.#fields > this.#maximumFields) return 'it holds too many fields';
    }
    return walk.isBroken ? 'it is cut off or no message' : null;
  }

  /** A decoder that goes by numbers alone would read on elsewhere after a field of another type than it should have. */
  #fieldFault(field: FieldShape | undefined, walk: FieldWalk): string | null {
    if (field === undefined) return null;
    const isFit = this.#isFit(field, walk);
    if (!isFit) return 'a field is of another type than it should be';
    return typeof field === 'string' ? null : this.fault(field, walk.valueStart, walk.valueEnd);
  }

  #isFit(field: FieldShape, { wireType, varintOctets, valueStart, valueEnd }: FieldWalk): boolean {
    switch (field) {
      case 'small':
        return wireType === wireTypes.varint && isSmall(varintOctets);
      case 'large':
        return wireType === wireTypes.varint;
      case 'float':
        return wireType === wireTypes.fourOctets;
      case 'double':
        return wireType === wireTypes.eightOctets;
      case 'smalls':
        if (wireType !== wireTypes.lengthDelimited) return wireType === wireTypes.varint && isSmall(varintOctets);
        // Each octet may be a number.
        this.#fields += valueEnd - valueStart;
        return true;
      case 'text':
        if (wireType !== wireTypes.lengthDelimited) return false;
        this.isText &&= isUtf8(this.#octets, valueStart, valueEnd);
        return true;
      default:
        return wireType === wireTypes.lengthDelimited;
    }
  }
}

/**
 * Looks at the octets of a message before they are decoded: small fields take far more memory decoded than they came
 * in. The error says why they must not be, and quotes none of them.
 *
 * @param maximumFields of the message and all that are in it, with the elements of packed lists
 */
const lookAtMessage = (octets: Uint8Array, shape: MessageShape, maximumFields: number): Result<MessageLook, string> => {
  const walk = new ShapeWalk(octets, maximumFields);
  const fault = walk.fault(shape, 0, octets.length);
  return fault === null ? ok({ isText: walk.isText }) : err(fault);
};

/**
 * How many of the fields are known to the shape; only the outermost ones are counted. INVARIANT: nothing is wrong
 * with the octets.
 */
const countMembers = (octets: Uint8Array, shape: MessageShape): number => {
  const walk = new FieldWalk(octets, 0, octets.length);
  let members = 0;
  while (walk.next()) if (shape[walk.field] !== undefined) members += 1;
  return members;
};

/** Of one message of an agent: well above what the largest report and the largest answer that are of use come to. */
const maximumAgentFields = 50_000;

export const agentToProxyShape = message({}, agentToProxy).shape;
export const proxyControlShape = message({}, proxyControl).shape;

/**
 * Looks at what an agent sent, before it is decoded. The error says why it must not be.
 *
 * @param shape of one of the messages above, which hold one member each
 */
export const lookAtAgentMessage = (octets: Uint8Array, shape: MessageShape): Result<MessageLook, string> => {
  const look = lookAtMessage(octets, shape, maximumAgentFields);
  if (!look.ok) return look;
  return countMembers(octets, shape) > 1 ? err('it holds two messages') : ok(look.value);
};

/** Fields of one message, at most, without what is in its headers: small ones cost far more memory than octets. */
const maximumGatewayFields = 20_000;
/** Octets of the packed list of versions in a handshake: each of them becomes a number. */
const maximumVersionOctets = 1_024;
const lastMember = Math.max(...Object.values(proxyToAgent).map(({ number }) => number));
const handshakeMember = proxyToAgent.handshake.number;
const versionsField = handshakeRequest.fields.supportedVersions.number;

/**
 * Why a ProxyToAgent must not be decoded, or null: it is cut off, holds no message or two, or would take much more
 * memory decoded than it does now. A decoder that takes the last of two messages, where another peer takes the first,
 * would have one judged and the other one forwarded.
 */
export const gatewayMessageFault = (octets: Uint8Array): string | null => {
  let fields = 0;
  let members = 0;
  const outer = new FieldWalk(octets, 0, octets.length);
  while (outer.next()) {
    fields += 1;
    if (fields > maximumGatewayFields) return 'it holds too many fields';
    if (outer.field > lastMember) continue;
    members += 1;
    if (members > 1) return 'it holds two messages';
    if (outer.wireType !== wireTypes.lengthDelimited) return 'it is no message of the protocol';
    const inner = new FieldWalk(octets, outer.valueStart, outer.valueEnd);
    while (inner.next()) {
      fields += 1;
      if (fields > maximumGatewayFields) return 'it holds too many fields';
      const isVersions = outer.field === handshakeMember && inner.field === versionsField;
      if (
        isVersions &&
        inner.wireType === wireTypes.lengthDelimited &&
        inner.valueEnd - inner.valueStart > maximumVersionOctets
      ) {
        return 'it holds too many versions';
      }
    }
    if (inner.isBroken) return 'it is cut off or no message';
  }
  if (outer.isBroken) return 'it is cut off or no message';
  return members === 0 ? 'it holds no message that this version knows' : null;
};
