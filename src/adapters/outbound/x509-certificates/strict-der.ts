/** Maximum nesting of values. A certificate has seven levels, with nested names a few more. */
const maxDepth = 16;

const booleanTag = 0x01;
const objectIdentifierTag = 0x06;

interface Header {
  readonly tag: number;
  /** Offsets of the contents. */
  readonly start: number;
  readonly end: number;
}

/** Reads a header. The length must have its shortest form (X.690, section 10.1). */
const headerAt = (octets: Uint8Array, index: number, limit: number): Header | null => {
  if (index + 2 > limit) return null;
  const tag = octets[index] as number;
  const first = octets[index + 1] as number;
  const isHighTag = (tag & 0x1f) === 0x1f;
  const isEndOfContents = tag === 0;
  const lengthOctets = first < 0x80 ? 0 : first & 0x7f;
  if (isHighTag || isEndOfContents || first === 0x80 || lengthOctets > 3) return null;
  const start = index + 2 + lengthOctets;
  if (start > limit) return null;
  let length = lengthOctets === 0 ? first : 0;
  for (let offset = 0; offset < lengthOctets; offset += 1)
    length = length * 256 + (octets[index + 2 + offset] as number);
  const isShortest = lengthOctets === 0 || length >= (lengthOctets === 1 ? 0x80 : 256 ** (lengthOctets - 1));
  const end = start + length;
  return isShortest && end <= limit ? { tag, start, end } : null;
};

/** No component starts with a zero octet, and the last one is complete (X.690, section 8.19.2). */
const isObjectIdentifier = (octets: Uint8Array, start: number, end: number): boolean => {
  let isFirst = true;
  for (let index = start; index < end; index += 1) {
    const octet = octets[index] as number;
    if (isFirst && octet === 0x80) return false;
    isFirst = octet < 0x80;
  }
  return end > start && isFirst;
};

const isBoolean = (octets: Uint8Array, start: number, end: number): boolean =>
  end - start === 1 && (octets[start] === 0 || octets[start] === 0xff);

const isValue = (octets: Uint8Array, header: Header, depth: number): boolean => {
  const { tag, start, end } = header;
  if ((tag & 0x20) === 0) {
    if (tag === booleanTag) return isBoolean(octets, start, end);
    return tag !== objectIdentifierTag || isObjectIdentifier(octets, start, end);
  }
  if (depth === maxDepth) return false;
  let index = start;
  while (index < end) {
    const inner = headerAt(octets, index, end);
    if (inner === null || !isValue(octets, inner, depth + 1)) return false;
    index = inner.end;
  }
  return true;
};

/**
 * Whether octets are exactly one DER value, as far as this is visible without its type: definite
 * and shortest lengths, no trailing data, canonical booleans and object identifiers. ASN.1 parsers
 * differ in what else they accept; all read such values alike.
 */
export const isStrictDer = (octets: Uint8Array): boolean => {
  const header = headerAt(octets, 0, octets.length);
  return header !== null && header.end === octets.length && isValue(octets, header, 1);
};
