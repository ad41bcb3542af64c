import { err, ok, type Result } from './result.js';
import { codePointAt, followingOctets } from './utf8.js';

const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/**
 * Largest number of UTF-16 code units for one call of `String.fromCharCode`, where each is an argument. Whole runs are
 * faster than single characters.
 */
const maxRunLength = 1024;

const hexValue = (code: number | undefined): number => {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
};

/** The escaped octet at an index; -1: there is no escape. */
const escapedOctet = (octets: Uint8Array, at: number): number => {
  if (octets[at] !== percent) return -1;
  const high = hexValue(octets[at + 1]);
  const low = hexValue(octets[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
};

/**
 * The escaped non-ASCII code point at an index, whose octets are all escaped; -1: there is none.
 * @param sequence scratch space for four octets
 */
const escapedCodePoint = (octets: Uint8Array, at: number, first: number, sequence: Uint8Array): number => {
  const following = followingOctets(first);
  sequence[0] = first;
  for (let index = 1; index <= following; index += 1) {
    const octet = escapedOctet(octets, at + 3 * index);
    if (octet < 0) return -1;
    sequence[index] = octet;
  }
  return codePointAt(sequence, 0, following);
};

/** A decoded name or value of a form. */
interface FormText {
  /** Decoded. */
  readonly text: string;
  /** Index after the text: the delimiter, or the end of the octets. */
  readonly end: number;
}

/**
 * Decodes a name or value from `start` up to one of the two delimiters or the end. Null for a broken escape, escaped
 * octets that are not UTF-8, or an unescaped non-ASCII octet. Reads each octet once.
 */
const readFormText = (octets: Uint8Array, start: number, endings: readonly [number, number]): FormText | null => {
  const [ending, otherEnding] = endings;
  const units: number[] = [];
  const sequence = new Uint8Array(4);
  let count = 0;
  let text = '';
  let at = start;
  for (; at < octets.length; at += 1) {
    // Leave room for the two units of one code point.
    if (count >= maxRunLength - 1) {
      units.length = count;
      text += String.fromCharCode.apply(null, units);
      count = 0;
    }
    const code = octets[at] as number;
    if (code === ending || code === otherEnding) break;
    if (code > 0x7f) return null;
    if (code !== percent) {
      units[count++] = code === plus ? space : code;
      continue;
    }
    const octet = escapedOctet(octets, at);
    const codePoint = octet > 0x7f ? escapedCodePoint(octets, at, octet, sequence) : octet;
    if (codePoint < 0) return null;
    at += octet > 0x7f ? 2 + 3 * followingOctets(octet) : 2;
    if (codePoint >= 0x10000) units[count++] = 0xd7c0 + (codePoint >> 10);
    units[count++] = codePoint < 0x10000 ? codePoint : 0xdc00 | (codePoint & 0x3ff);
  }
  units.length = count;
  return { text: text + String.fromCharCode.apply(null, units), end: at };
};

/**
 * Why a form or query is invalid: `malformed` (broken escape, invalid UTF-8 or unescaped non-ASCII octet), a forbidden
 * duplicate name, or too many fields.
 */
export type FormFault = 'malformed' | 'duplicate' | 'too_many';

export interface FormLimits {
  /** Largest number of fields. An empty field between two `&` counts. */
  readonly fields: number;
}

const defaultLimits: FormLimits = { fields: 64 };

/** A parameter of a query. */
export interface QueryParameter {
  /** Decoded. */
  readonly value: string;
  /** The encoded form in the query, which a signature covers. */
  readonly raw: string;
}

interface Field {
  readonly name: string;
  readonly value: string;
  /** Start of the encoded value. */
  readonly valueStart: number;
  readonly end: number;
}

const ampersand = 0x26;
const equalsSign = 0x3d;
/** Matches no octet. */
const noDelimiter = -1;

/** Decodes one name or value; null as in `readFormText`. */
export const decodeFormText = (octets: Uint8Array): string | null =>
  readFormText(octets, 0, [noDelimiter, noDelimiter])?.text ?? null;

const fieldAt = (octets: Uint8Array, start: number): Field | null => {
  const name = readFormText(octets, start, [equalsSign, ampersand]);
  if (name === null) return null;
  if (octets[name.end] !== equalsSign) return { name: name.text, value: '', valueStart: name.end, end: name.end };
  const valueStart = name.end + 1;
  const value = readFormText(octets, valueStart, [ampersand, ampersand]);
  return value && { name: name.text, value: value.text, valueStart, end: value.end };
};

const fieldsOf = (
  octets: Uint8Array,
  repeatable: ReadonlySet<string>,
  { fields: maximum }: FormLimits,
): Result<readonly Field[], FormFault> => {
  const fields: Field[] = [];
  const names = new Set<string>();
  let start = 0;
  for (let count = 0; start < octets.length; count += 1) {
    if (count === maximum) return err('too_many');
    if (octets[start] === ampersand) {
      start += 1;
      continue;
    }
    const field = fieldAt(octets, start);
    if (field === null) return err('malformed');
    if (names.has(field.name) && !repeatable.has(field.name)) return err('duplicate');
    names.add(field.name);
    fields.push(field);
    start = field.end + 1;
  }
  return ok(fields);
};

/** Names that may occur more than once. */
export interface FormShape {
  readonly repeatable: ReadonlySet<string>;
}

const noNames: ReadonlySet<string> = new Set();

/** Like `parseForm`, but allows repeated names. Values keep the order of the form. */
export const parseFormFields = (
  octets: Uint8Array,
  { repeatable }: FormShape,
  limits: FormLimits = defaultLimits,
): Result<ReadonlyMap<string, readonly string[]>, FormFault> => {
  const fields = fieldsOf(octets, repeatable, limits);
  if (!fields.ok) return fields;
  const values = new Map<string, string[]>();
  for (const { name, value } of fields.value) {
    const existing = values.get(name);
    if (existing === undefined) values.set(name, [value]);
    else existing.push(value);
  }
  return ok(values);
};

/**
 * Parses application/x-www-form-urlencoded (URL standard, section 5) strictly. Duplicate names, broken escapes and
 * unescaped non-ASCII octets are errors. Linear in the length of the body.
 */
export const parseForm = (
  octets: Uint8Array,
  limits: FormLimits = defaultLimits,
): Result<ReadonlyMap<string, string>, FormFault> => {
  const fields = fieldsOf(octets, noNames, limits);
  return fields.ok ? ok(new Map(fields.value.map(({ name, value }) => [name, value]))) : fields;
};

/** Parses the query of a request target like a form. Non-ASCII characters are malformed. */
export const parseQuery = (
  query: string,
  limits: FormLimits = defaultLimits,
): Result<ReadonlyMap<string, QueryParameter>, FormFault> => {
  const octets = new Uint8Array(query.length);
  for (let index = 0; index < query.length; index += 1) {
    const code = query.charCodeAt(index);
    if (code > 0x7f) return err('malformed');
    octets[index] = code;
  }
  const fields = fieldsOf(octets, noNames, limits);
  if (!fields.ok) return fields;
  const parameters = fields.value.map(
    ({ name, value, valueStart, end }) => [name, { value, raw: query.slice(valueStart, end) }] as const,
  );
  return ok(new Map(parameters));
};
