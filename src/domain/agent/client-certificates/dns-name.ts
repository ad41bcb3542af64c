const maximumNameLength = 253;
const maximumLabelLength = 63;

const isLabelCharacter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2d ||
  code === 0x5f;

const isLabel = (label: string): boolean => {
  if (label === '' || label.length > maximumLabelLength) return false;
  for (let index = 0; index < label.length; index += 1) if (!isLabelCharacter(label.charCodeAt(index))) return false;
  return true;
};

/**
 * The labels of a DNS name in lower case, the dot of the root left off; null for anything else. Letters, digits,
 * hyphens and underscores alone (RFC 1123, section 2.1; the underscore because names of services have it).
 */
export const dnsLabels = (name: string): readonly string[] | null => {
  if (name.length > maximumNameLength + 1) return null;
  const relative = name.endsWith('.') ? name.slice(0, -1) : name;
  if (relative.length > maximumNameLength || !relative.split('.').every(isLabel)) return null;
  // Only now: letters that are not ASCII, the Kelvin sign among them, have ASCII letters in lower case.
  return relative.toLowerCase().split('.');
};
