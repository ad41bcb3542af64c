import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { FieldShape, MessageShape } from '../agent-messages/field-kinds.js';
import { handshakeRequest } from '../agent-messages/handshake-messages.js';
import { message } from '../agent-messages/message-table.js';
import { FieldWalk, isUtf8, wireTypes } from './field-walk.js';
import { agentToProxy, proxyControl, proxyToAgent } from './grpc-messages.js';

/** The result of a check of a message's octets. */
export interface MessageCheck {
  /**
   * Whether every text is UTF-8. Decoders replace invalid octets with U+FFFD, which makes different
   * texts equal.
   */
  readonly isText: boolean;
}

const isSmall = (octets: number): boolean => octets <= 5 || octets === 10;

class ShapeWalk {
  readonly #octets: Uint8Array;
  readonly #maxFields: number;
  #fields = 0;
  isText = true;

  constructor(octets: Uint8Array, maxFields: number) {
    this.#octets = octets;
    this.#maxFields = maxFields;
  }

  /** The fault of the message from `start` to `end`, exclusive; null if valid. */
  fault(shape: MessageShape, start: number, end: number): string | null {
    const walk = new FieldWalk(this.#octets, start, end);
    while (walk.next()) {
      this.#fields += 1;
      const fault = this.#fieldFault(shape[walk.field], walk);
      if (fault !== null) return fault;
      if (this.#fields > this.#maxFields) return 'it holds too many fields';
    }
    return walk.isBroken ? 'it is truncated or not a message' : null;
  }

  /** Checks a field's wire type: a decoder that uses only field numbers would lose its position. */
  #fieldFault(field: FieldShape | undefined, walk: FieldWalk): string | null {
    if (field === undefined) return null;
    const isMatch = this.#isMatch(field, walk);
    if (!isMatch) return 'a field has the wrong type';
    return typeof field === 'string' ? null : this.fault(field, walk.valueStart, walk.valueEnd);
  }

  #isMatch(field: FieldShape, { wireType, varintOctets, valueStart, valueEnd }: FieldWalk): boolean {
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
        // Each octet can be a number.
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
 * Checks a message before decoding, because small fields need far more memory decoded. The error
 * quotes none of it.
 *
 * @param maxFields maximum fields, nested ones and elements of packed lists included
 */
const checkMessage = (octets: Uint8Array, shape: MessageShape, maxFields: number): Result<MessageCheck, string> => {
  const walk = new ShapeWalk(octets, maxFields);
  const fault = walk.fault(shape, 0, octets.length);
  return fault === null ? ok({ isText: walk.isText }) : err(fault);
};

/** Counts the top-level fields in the shape. INVARIANT: the octets are valid. */
const countMembers = (octets: Uint8Array, shape: MessageShape): number => {
  const walk = new FieldWalk(octets, 0, octets.length);
  let members = 0;
  while (walk.next()) if (shape[walk.field] !== undefined) members += 1;
  return members;
};

/** Maximum fields of an agent's message; well above the largest useful report or answer. */
const maxAgentFields = 50_000;

export const agentToProxyShape = message({}, agentToProxy).shape;
export const proxyControlShape = message({}, proxyControl).shape;

/**
 * Checks a message from an agent before decoding. The error is the fault.
 *
 * @param shape shape of a message above, which holds one member
 */
export const checkAgentMessage = (octets: Uint8Array, shape: MessageShape): Result<MessageCheck, string> => {
  const look = checkMessage(octets, shape, maxAgentFields);
  if (!look.ok) return look;
  return countMembers(octets, shape) > 1 ? err('it holds two messages') : ok(look.value);
};

/**
 * Maximum fields of a gateway's message without its headers: small fields need far more memory than
 * octets.
 */
const maxGatewayFields = 20_000;
/** Maximum octets of the packed versions in a handshake; each becomes a number. */
const maxVersionOctets = 1_024;
const lastMember = Math.max(...Object.values(proxyToAgent).map(({ number }) => number));
const handshakeMember = proxyToAgent.handshake.number;
const versionsField = handshakeRequest.fields.supportedVersions.number;

/**
 * Why a ProxyToAgent must not be decoded: truncated, zero or two messages, or too much memory. Null
 * if valid. Of two messages, decoders take the first or the last, so an agent could check one and
 * an upstream receive the other.
 */
export const gatewayMessageFault = (octets: Uint8Array): string | null => {
  let fields = 0;
  let members = 0;
  const outer = new FieldWalk(octets, 0, octets.length);
  while (outer.next()) {
    fields += 1;
    if (fields > maxGatewayFields) return 'it holds too many fields';
    if (outer.field > lastMember) continue;
    members += 1;
    if (members > 1) return 'it holds two messages';
    if (outer.wireType !== wireTypes.lengthDelimited) return 'it is not a message of the protocol';
    const inner = new FieldWalk(octets, outer.valueStart, outer.valueEnd);
    while (inner.next()) {
      fields += 1;
      if (fields > maxGatewayFields) return 'it holds too many fields';
      const isVersions = outer.field === handshakeMember && inner.field === versionsField;
      if (
        isVersions &&
        inner.wireType === wireTypes.lengthDelimited &&
        inner.valueEnd - inner.valueStart > maxVersionOctets
      ) {
        return 'it holds too many versions';
      }
    }
    if (inner.isBroken) return 'it is truncated or not a message';
  }
  if (outer.isBroken) return 'it is truncated or not a message';
  return members === 0 ? 'it holds no supported message' : null;
};
