import { err, ok, type Result } from './result.js';
import { decodeUtf8 } from './utf8.js';

/**
 * Why a form or a query is refused: a broken escape, no UTF-8 or an octet beyond ASCII that is not escaped, a name that occurs
 * twice and may not, or too many fields.
 */
export type FormFault = 'malformed' | 'duplicate' | 'too_many';

export interface FormLimits {
  readonly fields: number;
}

const usualLimits: FormLimits = { fields: 64 };

/** A parameter of a query. */
export interface QueryParameter {
  /** Decoded. */
  readonly value: string;
  /** As it stands in the query: what a signature covers. */
  readonly raw: string;
}

interface Field {
  readonly name: string;
  readonly value: string;
  /** Where the value stands, still encoded. */
  readonly valueStart: number;
  readonly end: number;
}

const percent = 0x25;
const ampersand = 0x26;
const plus = 0x2b;
const equalsSign = 0x3d;
const space = 0x20;

const hexValue = (code: number | undefined): number => {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
};

/**
 * Decodes what stands for one name or value. Null where an escape is broken, the octets that are escaped are no UTF-8, or one beyond ASCII
 * is not escaped.
 */
export const decodeFormText = (octets: Uint8Array): string | null => {
  const plain = new Uint8Array(octets.length);
  let length = 0;
  for (let index = 0; index < octets.length; index += 1) {
    const code = octets[index] as number;
    if (code > 0x7f) return null;
    if (code === percent) {
      const high = hexValue(octets[index + 1]);
      const low = hexValue(octets[index + 2]);
      if (high < 0 || low < 0) return null;
      plain[length] = high * 16 + low;
      index += 2;
    } else plain[length] = code === plus ? space : code;
    length += 1;
  }
  return decodeUtf8(plain.subarray(0, length));
};

/** Looks no further than `end`, which it gives where there is none: the whole stays linear. */
const indexIn = (octets: Uint8Array, code: number, from: number, end: number): number => {
  const found = octets.subarray(from, end).indexOf(code);
  return found < 0 ? end : from + found;
};

const fieldAt = (octets: Uint8Array, start: number, end: number): Field | null => {
  const nameEnd = indexIn(octets, equalsSign, start, end);
  const valueStart = Math.min(nameEnd + 1, end);
  const name = decodeFormText(octets.subarray(start, nameEnd));
  const value = decodeFormText(octets.subarray(valueStart, end));
  return name === null || value === null ? null : { name, value, valueStart, end };
};

const fieldsOf = (
  octets: Uint8Array,
  repeatable: ReadonlySet<string>,
  { fields: maximum }: FormLimits,
): Result<readonly Field[], FormFault> => {
  const fields: Field[] = [];
  const names = new Set<string>();
  for (let start = 0; start < octets.length; ) {
    const end = indexIn(octets, ampersand, start, octets.length);
    if (end > start) {
      if (fields.length === maximum) return err('too_many');
      const field = fieldAt(octets, start, end);
      if (field === null) return err('malformed');
      if (names.has(field.name) && !repeatable.has(field.name)) return err('duplicate');
      names.add(field.name);
      fields.push(field);
    }
    start = end + 1;
  }
  return ok(fields);
};

/** Which names may occur more than once. */
export interface FormShape {
  readonly repeatable: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

/** As `parseForm`, but some names may occur several times; their values are in the order of the form. */
export const parseFormFields = (
  octets: Uint8Array,
  { repeatable }: FormShape,
  limits: FormLimits = usualLimits,
): Result<ReadonlyMap<string, readonly string[]>, FormFault> => {
  const fields = fieldsOf(octets, repeatable, limits);
  if (!fields.ok) return fields;
  const values = new Map<string, string[]>();
  for (const { name, value } of fields.value) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return ok(values);
};

/**
 * Reads a body of application/x-www-form-urlencoded (URL standard, section 5), strictly: which of two fields with one
 * name counts would be a guess, a broken escape stays nothing, and writers escape all that is not ASCII. Linear in the length of the body.
 */
export const parseForm = (
  octets: Uint8Array,
  limits: FormLimits = usualLimits,
): Result<ReadonlyMap<string, string>, FormFault> => {
  const fields = fieldsOf(octets, nothing, limits);
  return fields.ok ? ok(new Map(fields.value.map(({ name, value }) => [name, value]))) : fields;
};

/** Reads what follows the `?` of a request target as a form is read; beyond ASCII it is malformed. */
export const parseQuery = (
  query: string,
  limits: FormLimits = usualLimits,
): Result<ReadonlyMap<string, QueryParameter>, FormFault> => {
  const octets = new Uint8Array(query.length);
  for (let index = 0; index < query.length; index += 1) {
    const code = query.charCodeAt(index);
    if (code > 0x7f) return err('malformed');
    octets[index] = code;
  }
  const fields = fieldsOf(octets, nothing, limits);
  if (!fields.ok) return fields;
  const parameters = fields.value.map(
    ({ name, value, valueStart, end }) => [name, { value, raw: query.slice(valueStart, end) }] as const,
  );
  return ok(new Map(parameters));
};
