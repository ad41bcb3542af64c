/** Brings every bit of a 32-bit word to bear on every other (the finaliser of MurmurHash3); a bijection. */
export const mixed = (word: number): number => {
  let mix = word;
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
};

/**
 * A 32-bit hash of a text, the same on every machine (FNV-1a over its UTF-16 units, then mixed). It keeps no secret, and
 * whoever wants to can find two texts with the same one.
 */
export const textHash = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mixed(hash);
};
