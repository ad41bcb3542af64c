/** Values within each other, at most: a certificate has seven, a name inside a name a few more. */
const maximumDepth = 16;

const booleanTag = 0x01;
const objectIdentifierTag = 0x06;

interface Header {
  readonly tag: number;
  /** Where the contents begin, and where they end. */
  readonly start: number;
  readonly end: number;
}

/** The length octets are as few as will do (X.690, section 10.1). */
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

/** No number in it begins with a zero, and the last one ends (X.690, section 8.19.2). */
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
  if (depth === maximumDepth) return false;
  let index = start;
  while (index < end) {
    const inner = headerAt(octets, index, end);
    if (inner === null || !isValue(octets, inner, depth + 1)) return false;
    index = inner.end;
  }
  return true;
};

/**
 * Whether octets are exactly one value in DER, as far as that can be seen without knowing its type: lengths that are
 * definite and the shortest, nothing behind the end, booleans and object identifiers in their one form. Readers of
 * ASN.1 differ in what else they let pass; of this they all make the same.
 */
export const isStrictDer = (octets: Uint8Array): boolean => {
  const header = headerAt(octets, 0, octets.length);
  return header !== null && header.end === octets.length && isValue(octets, header, 1);
};
