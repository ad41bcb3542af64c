import type { DistinguishedName, NameAttribute, SignedOctets } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { stringOfDer } from './der-text.js';
import { timeOfDer } from './der-time.js';
import {
  type DerValue,
  derItems,
  derOctets,
  derTags,
  derValueAt,
  integerHexOf,
  objectIdentifierOf,
} from './der-values.js';

/** A certificate revocation list (RFC 5280, section 5), parsed from DER and not verified. */
export interface RevocationList {
  readonly issuer: DistinguishedName;
  /** Milliseconds since the Unix epoch. */
  readonly thisUpdateMs: number;
  readonly nextUpdateMs: number;
  /** Serial numbers of the revoked certificates in lower-case hexadecimal, as encoded. */
  readonly serials: ReadonlySet<string>;
  readonly signed: SignedOctets;
}

/** Why a list cannot be used. */
export type RevocationListFault =
  /** Not exactly one CertificateList in DER. */
  | 'malformed'
  /** Without nextUpdate, nothing shows that the list is outdated. */
  | 'no_next_update'
  /** It covers certificates of other issuers, or only some certificates or reasons. */
  | 'partial'
  /** It only changes another list. */
  | 'delta'
  /** It has an unknown critical extension. */
  | 'unknown_critical'
  /** It lists more than `maximumRevoked` certificates. */
  | 'too_many';

/** Maximum revoked certificates of a list. */
export const maximumRevoked = 500_000;
const maximumAttributes = 64;
const maximumExtensions = 32;
/** More than the parts of a CertificateList, a TBSCertList or an AlgorithmIdentifier. */
const maximumFields = 8;

const issuingDistributionPoint = '2.5.29.28';
const deltaIndicator = '2.5.29.27';
const certificateIssuer = '2.5.29.29';
/** Extensions of a list that need no check: a number, and hints about its key. */
const harmless: ReadonlySet<string> = new Set(['2.5.29.20', '2.5.29.35']);

const hexOf = (octets: Uint8Array): string =>
  Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('');

const attributeOf = (octets: Uint8Array, value: DerValue): NameAttribute | null => {
  const [type, text, more] = derItems(octets, value, 2) ?? [];
  if (value.tag !== derTags.sequence || type === undefined || text === undefined || more !== undefined) return null;
  const identifier = objectIdentifierOf(octets, type);
  if (identifier === null) return null;
  const read = stringOfDer(text.tag, octets.subarray(text.start, text.end));
  return read === null
    ? { type: identifier, isText: false, value: hexOf(derOctets(octets, text)) }
    : { type: identifier, isText: true, value: read };
};

/** The attributes of a name; null if malformed. */
const nameOf = (octets: Uint8Array, value: DerValue): DistinguishedName | null => {
  const relatives = value.tag === derTags.sequence ? derItems(octets, value, maximumAttributes) : null;
  if (relatives === null) return null;
  const name: NameAttribute[][] = [];
  for (const relative of relatives) {
    const items = relative.tag === derTags.set ? derItems(octets, relative, maximumAttributes) : null;
    const attributes = (items ?? []).map((item) => attributeOf(octets, item));
    if (attributes.length === 0 || attributes.includes(null)) return null;
    name.push(attributes as NameAttribute[]);
  }
  return name;
};

interface Extension {
  readonly type: string;
  readonly isCritical: boolean;
}

const extensionOf = (octets: Uint8Array, value: DerValue): Extension | null => {
  const items = value.tag === derTags.sequence ? derItems(octets, value, 3) : null;
  const [type, second, third] = items ?? [];
  const identifier = type === undefined ? null : objectIdentifierOf(octets, type);
  if (identifier === null || second === undefined) return null;
  if (third === undefined) return second.tag === derTags.octetString ? { type: identifier, isCritical: false } : null;
  // DER omits the default, FALSE (X.690, section 11.5).
  const isTrue = second.tag === derTags.boolean && second.end - second.start === 1 && octets[second.start] === 0xff;
  return isTrue && third.tag === derTags.octetString ? { type: identifier, isCritical: true } : null;
};

/** The extensions in a SEQUENCE, at least one, each type once; null if malformed. */
const extensionsOf = (octets: Uint8Array, value: DerValue): readonly Extension[] | null => {
  const items = value.tag === derTags.sequence ? derItems(octets, value, maximumExtensions) : null;
  const extensions = (items ?? []).map((item) => extensionOf(octets, item));
  if (extensions.length === 0 || extensions.includes(null)) return null;
  const read = extensions as Extension[];
  return new Set(read.map(({ type }) => type)).size === read.length ? read : null;
};

/** Why the extensions of a list or of an entry forbid its use; null if they do not. */
const extensionFault = (extensions: readonly Extension[]): RevocationListFault | null => {
  for (const { type, isCritical } of extensions) {
    if (type === issuingDistributionPoint || type === certificateIssuer) return 'partial';
    if (type === deltaIndicator) return 'delta';
    if (isCritical && !harmless.has(type)) return 'unknown_critical';
  }
  return null;
};

/** The serial number of an entry. */
const entryOf = (octets: Uint8Array, entry: DerValue): Result<string, RevocationListFault> => {
  const serial = entry.tag === derTags.sequence ? derValueAt(octets, entry.start, entry.end) : null;
  const hex = serial === null ? null : integerHexOf(octets, serial);
  const date = serial === null ? null : derValueAt(octets, serial.end, entry.end);
  if (hex === null || date === null || timeOfDer(octets, date) === null) return err('malformed');
  if (date.end === entry.end) return ok(hex);
  const value = derValueAt(octets, date.end, entry.end);
  const extensions = value?.end === entry.end ? extensionsOf(octets, value) : null;
  if (extensions === null) return err('malformed');
  const fault = extensionFault(extensions);
  return fault === null ? ok(hex) : err(fault);
};

const serialsOf = (octets: Uint8Array, list: DerValue): Result<ReadonlySet<string>, RevocationListFault> => {
  const serials = new Set<string>();
  let at = list.start;
  while (at < list.end) {
    const entry = derValueAt(octets, at, list.end);
    if (entry === null) return err('malformed');
    const serial = entryOf(octets, entry);
    if (!serial.ok) return serial;
    if (serials.size === maximumRevoked) return err('too_many');
    serials.add(serial.value);
    at = entry.end;
  }
  return ok(serials);
};

interface Algorithm {
  readonly type: string;
  readonly parameters: Uint8Array | null;
}

const nullTag = 0x05;

const algorithmOf = (octets: Uint8Array, value: DerValue): Algorithm | null => {
  const items = value.tag === derTags.sequence ? derItems(octets, value, 2) : null;
  const [identifier, parameters] = items ?? [];
  const type = identifier === undefined ? null : objectIdentifierOf(octets, identifier);
  if (type === null) return null;
  const isNone = parameters === undefined || parameters.tag === nullTag;
  return { type, parameters: isNone ? null : derOctets(octets, parameters) };
};

const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((octet, index) => octet === right[index]);

/** The octets of a BIT STRING without unused bits. */
const bitsOf = (octets: Uint8Array, { tag, start, end }: DerValue): Uint8Array | null =>
  tag === derTags.bitString && end - start > 1 && octets[start] === 0 ? octets.subarray(start + 1, end) : null;

interface SignedParts {
  readonly content: DerValue;
  readonly algorithmValue: DerValue;
  readonly algorithm: Algorithm;
  readonly signature: Uint8Array;
}

const signedPartsOf = (octets: Uint8Array): SignedParts | null => {
  const whole = derValueAt(octets, 0, octets.length);
  if (whole?.tag !== derTags.sequence || whole.end !== octets.length) return null;
  const [content, algorithmValue, bits, more] = derItems(octets, whole, maximumFields) ?? [];
  if (content?.tag !== derTags.sequence || algorithmValue === undefined || bits === undefined || more !== undefined)
    return null;
  const algorithm = algorithmOf(octets, algorithmValue);
  const signature = bitsOf(octets, bits);
  return algorithm === null || signature === null ? null : { content, algorithmValue, algorithm, signature };
};

const isTimeTag = (value: DerValue | undefined): value is DerValue =>
  value?.tag === derTags.utcTime || value?.tag === derTags.generalizedTime;

const extensionsTag = 0xa0;

/** The extensions of a list; an empty list without the field. */
const listExtensions = (octets: Uint8Array, field: DerValue | undefined): readonly Extension[] | null => {
  if (field === undefined) return [];
  const value = field.tag === extensionsTag ? derValueAt(octets, field.start, field.end) : null;
  return value?.end === field.end ? extensionsOf(octets, value) : null;
};

/**
 * Reads exactly one certificate revocation list in DER (RFC 5280, section 5.1). Refuses a list that cannot stand for all
 * certificates of its issuer: indirect, delta, or limited to a distribution point.
 */
export const readRevocationList = (octets: Uint8Array): Result<RevocationList, RevocationListFault> => {
  const parts = signedPartsOf(octets);
  const fields = parts === null ? null : derItems(octets, parts.content, maximumFields);
  if (parts === null || fields === null) return err('malformed');
  const rest = [...fields];
  // The version is absent in version 1, and 1 in version 2.
  const version = rest[0]?.tag === derTags.integer ? integerHexOf(octets, rest.shift() as DerValue) : '00';
  const [inner, issuerValue, thisUpdate, ...optional] = rest;
  if (inner === undefined || issuerValue === undefined || thisUpdate === undefined) return err('malformed');
  const isAlgorithmSame = isSame(derOctets(octets, inner), derOctets(octets, parts.algorithmValue));
  const issuer = nameOf(octets, issuerValue);
  const thisUpdateMs = timeOfDer(octets, thisUpdate);
  const isVersionKnown = version === '00' || version === '01';
  if (!isAlgorithmSame || issuer === null || issuer.length === 0 || thisUpdateMs === null || !isVersionKnown)
    return err('malformed');
  const nextUpdate = isTimeTag(optional[0]) ? (optional.shift() as DerValue) : null;
  const revoked = optional[0]?.tag === derTags.sequence ? (optional.shift() as DerValue) : null;
  const extensions = listExtensions(octets, optional.shift());
  if (extensions === null || optional.length > 0) return err('malformed');
  const fault = extensionFault(extensions);
  if (fault !== null) return err(fault);
  const serials = revoked === null ? ok<ReadonlySet<string>>(new Set()) : serialsOf(octets, revoked);
  if (!serials.ok) return serials;
  if (nextUpdate === null) return err('no_next_update');
  const nextUpdateMs = timeOfDer(octets, nextUpdate);
  if (nextUpdateMs === null || nextUpdateMs < thisUpdateMs) return err('malformed');
  const { algorithm, content, signature } = parts;
  return ok({
    issuer,
    thisUpdateMs,
    nextUpdateMs,
    serials: serials.value,
    signed: {
      algorithm: algorithm.type,
      parameters: algorithm.parameters,
      octets: derOctets(octets, content),
      signature,
    },
  });
};
