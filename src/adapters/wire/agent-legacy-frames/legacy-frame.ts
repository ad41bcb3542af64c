/**
 * Octets of the length field at the start of a frame: unsigned, big-endian, counts the JSON only.
 */
export const legacyLengthBytes = 4;
/** Maximum of the length field. */
export const maxLegacyLength = 10_485_760;

const encoder = new TextEncoder();

/** Encodes a frame; null if the message is too large. */
export const legacyFrame = (json: string): Uint8Array | null => {
  // UTF-8 has at least one octet per character.
  if (json.length > maxLegacyLength) return null;
  const payload = encoder.encode(json);
  if (payload.length > maxLegacyLength) return null;
  const frame = new Uint8Array(legacyLengthBytes + payload.length);
  new DataView(frame.buffer).setUint32(0, payload.length);
  frame.set(payload, legacyLengthBytes);
  return frame;
};
