/** Octets of the length field that a frame begins with: unsigned, big-endian, and it counts the JSON alone. */
export const legacyLengthBytes = 4;
/** Most that the length field may say. */
export const maximumLegacyLength = 10_485_760;

const encoder = new TextEncoder();

/** A message as it is sent. Null where it is larger than a frame can be. */
export const legacyFrame = (json: string): Uint8Array | null => {
  // No text has fewer octets than characters.
  if (json.length > maximumLegacyLength) return null;
  const payload = encoder.encode(json);
  if (payload.length > maximumLegacyLength) return null;
  const frame = new Uint8Array(legacyLengthBytes + payload.length);
  new DataView(frame.buffer).setUint32(0, payload.length);
  frame.set(payload, legacyLengthBytes);
  return frame;
};
