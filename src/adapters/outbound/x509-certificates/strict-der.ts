import { type DerValue, derValueAt } from '../../../domain/agent/client-certificates/der-values.js';

/** Maximum nesting of values. A certificate has seven levels, with nested names a few more. */
const maxDepth = 16;

const booleanTag = 0x01;
const objectIdentifierTag = 0x06;

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

const isValue = (octets: Uint8Array, header: DerValue, depth: number): boolean => {
  const { tag, start, end } = header;
  if ((tag & 0x20) === 0) {
    if (tag === booleanTag) return isBoolean(octets, start, end);
    return tag !== objectIdentifierTag || isObjectIdentifier(octets, start, end);
  }
  if (depth === maxDepth) return false;
  let index = start;
  while (index < end) {
    const inner = derValueAt(octets, index, end);
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
  const header = derValueAt(octets, 0, octets.length);
  return header !== null && header.end === octets.length && isValue(octets, header, 1);
};
