import { FieldWalk, wireTypes } from './field-walk.js';

/** Fields of one message, at the most, without what is in its headers: small ones cost far more memory than octets. */
const maximumFields = 20_000;
/** Octets of the packed list of versions in a handshake: each of them becomes a number. */
const maximumVersionOctets = 1_024;
/** The members of ProxyToAgent are numbered from 1 to this. */
const lastMember = 11;
const handshakeMember = 1;
const versionsField = 1;

/**
 * Why a ProxyToAgent must not be decoded, or null: it is cut off, holds no message or two, or would take much more memory
 * decoded than it does now. A decoder that takes the last of two messages, where another peer takes the first, would have
 * one judged and the other one forwarded.
 */
export const gatewayMessageFault = (octets: Uint8Array): string | null => {
  let fields = 0;
  let members = 0;
  const outer = new FieldWalk(octets, 0, octets.length);
  while (outer.next()) {
    fields += 1;
    if (fields > maximumFields) return 'it holds too many fields';
    if (outer.field > lastMember) continue;
    members += 1;
    if (members > 1) return 'it holds two messages';
    if (outer.wireType !== wireTypes.lengthDelimited) return 'it is no message of the protocol';
    const inner = new FieldWalk(octets, outer.valueStart, outer.valueEnd);
    while (inner.next()) {
      fields += 1;
      if (fields > maximumFields) return 'it holds too many fields';
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
