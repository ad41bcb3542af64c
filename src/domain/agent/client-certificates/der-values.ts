/** A DER value within octets, by offsets. */
export interface DerValue {
  readonly tag: number;
  /** Offset of the tag. */
  readonly at: number;
  /** Offsets of the contents. */
  readonly start: number;
  readonly end: number;
}

/** Universal tags (X.680, section 8.4). */
export const derTags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  boolean: 0x01,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/**
 * The value at an offset; null if it does not end before `limit`. Its length must have the shortest form (X.690, section
 * 10.1) and be less than 16 MiB. Tags of more than one octet do not occur in certificates and are refused.
 */
export const derValueAt = (octets: Uint8Array, at: number, limit: number): DerValue | null => {
  if (at + 2 > limit) return null;
  const tag = octets[at] as number;
  const first = octets[at + 1] as number;
  const isHighTag = (tag & 0x1f) === 0x1f;
  const isEndOfContents = tag === 0;
  const lengthOctets = first < 0x80 ? 0 : first & 0x7f;
  if (isHighTag || isEndOfContents || first === 0x80 || lengthOctets > 3) return null;
  const start = at + 2 + lengthOctets;
  if (start > limit) return null;
  let length = lengthOctets === 0 ? first : 0;
  for (let offset = 0; offset < lengthOctets; offset += 1) length = length * 256 + (octets[at + 2 + offset] as number);
  const isShortest = lengthOctets === 0 || length >= (lengthOctets === 1 ? 0x80 : 256 ** (lengthOctets - 1));
  const end = start + length;
  return isShortest && end <= limit ? { tag, at, start, end } : null;
};

/** The values within a value, at most `most`; null if malformed or more. */
export const derItems = (octets: Uint8Array, { start, end }: DerValue, most: number): readonly DerValue[] | null => {
  const items: DerValue[] = [];
  let at = start;
  while (at < end) {
    const item = items.length === most ? null : derValueAt(octets, at, end);
    if (item === null) return null;
    items.push(item);
    at = item.end;
  }
  return items;
};

/** The octets of a value, with tag and length. */
export const derOctets = (octets: Uint8Array, { at, end }: DerValue): Uint8Array => octets.subarray(at, end);

/** Maximum octets of an object identifier. */
const maximumIdentifierOctets = 64;
/** Components stay exact numbers. */
const maximumComponent = 2 ** 40;

/** An object identifier in dotted form; null if malformed (X.690, section 8.19). */
export const objectIdentifierOf = (octets: Uint8Array, { tag, start, end }: DerValue): string | null => {
  if (tag !== derTags.objectIdentifier || start === end || end - start > maximumIdentifierOctets) return null;
  const components: number[] = [];
  let component = 0;
  let isFirst = true;
  for (let index = start; index < end; index += 1) {
    const octet = octets[index] as number;
    if (isFirst && octet === 0x80) return null;
    component = component * 128 + (octet & 0x7f);
    if (component > maximumComponent) return null;
    isFirst = octet < 0x80;
    if (!isFirst) continue;
    components.push(component);
    component = 0;
  }
  const [joined = 0, ...others] = components;
  const root = Math.min(2, Math.floor(joined / 40));
  return isFirst ? [root, joined - root * 40, ...others].join('.') : null;
};

/** Maximum octets of a serial number. RFC 5280, section 4.1.2.2, allows 20; some authorities use a few more. */
const maximumSerialOctets = 64;

const hexPairs: readonly string[] = Array.from({ length: 256 }, (_, octet) => octet.toString(16).padStart(2, '0'));

/** An integer in lower-case hexadecimal, as encoded; null if it is longer than 64 octets or not the shortest form. */
export const integerHexOf = (octets: Uint8Array, { tag, start, end }: DerValue): string | null => {
  const length = end - start;
  if (tag !== derTags.integer || length < 1 || length > maximumSerialOctets) return null;
  const first = octets[start] as number;
  const isNegative = ((octets[start + 1] as number) & 0x80) !== 0;
  if (length > 1 && ((first === 0 && !isNegative) || (first === 0xff && isNegative))) return null;
  let hex = '';
  for (let index = start; index < end; index += 1) hex += hexPairs[octets[index] as number];
  return hex;
};
