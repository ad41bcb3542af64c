import { decodeBase64 } from '../../shared/base64.js';
import { parseDecimal } from '../../shared/decimal.js';

const saltOctets = { least: 8, most: 48 } as const;
const digestOctets = { least: 16, most: 64 } as const;

/** What is wrong with the lengths of salt and digest, as the end of a sentence; null if nothing. */
export const phcOctetsFault = ({ salt, digest }: PhcString): string | null => {
  if (salt.length < saltOctets.least || salt.length > saltOctets.most) {
    return `whose salt does not have ${saltOctets.least} to ${saltOctets.most} octets`;
  }
  if (digest.length < digestOctets.least || digest.length > digestOctets.most) {
    return `whose digest does not have ${digestOctets.least} to ${digestOctets.most} octets`;
  }
  return null;
};

/** That many zero octets in unpadded base64. */
export const zeroOctets = (count: number): string => 'A'.repeat(Math.ceil((count * 4) / 3));

/** The parts of a password hash in the PHC string format, `$id[$v=version]$name=number,...$salt$digest`. */
export interface PhcString {
  readonly id: string;
  /** Null if absent. */
  readonly version: number | null;
  /** The requested parameters, in that order. */
  readonly parameters: readonly number[];
  readonly salt: Uint8Array;
  readonly digest: Uint8Array;
}

/** Maximum digits of a parameter: no limit has more. */
const parameterDigits = 10;

/** Adds the padding that the format omits and the decoder requires. */
const decodeUnpadded = (text: string): Uint8Array | null =>
  text.includes('=') ? null : decodeBase64(text + '='.repeat((4 - (text.length % 4)) % 4), 'standard');

const namedNumber = (text: string, name: string): number | null =>
  text.startsWith(`${name}=`) ? parseDecimal(text.slice(name.length + 1), parameterDigits) : null;

const namedNumbers = (text: string, names: readonly string[]): readonly number[] | null => {
  const parts = text.split(',');
  if (parts.length !== names.length) return null;
  const numbers: number[] = [];
  for (const [index, name] of names.entries()) {
    const number = namedNumber(parts[index] as string, name);
    if (number === null) return null;
    numbers.push(number);
  }
  return numbers;
};

/** Null if the text is not a PHC string, or its parameters differ from these names in this order. */
export const parsePhcString = (text: string, names: readonly string[]): PhcString | null => {
  const [before, id, ...fields] = text.split('$');
  if (before !== '' || id === undefined) return null;
  const version = fields.length === 4 ? namedNumber(fields.shift() as string, 'v') : null;
  // Three fields remain, unless there was a version field that is not one.
  const [parameterText, saltText, digestText, ...more] = fields;
  if (parameterText === undefined || saltText === undefined || digestText === undefined || more.length > 0) return null;
  const parameters = namedNumbers(parameterText, names);
  const salt = decodeUnpadded(saltText);
  const digest = decodeUnpadded(digestText);
  if (parameters === null || salt === null || digest === null) return null;
  return { id, version, parameters, salt, digest };
};
