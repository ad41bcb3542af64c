import { decodeBase64 } from '../../shared/base64.js';
import { parseDecimal } from '../../shared/decimal.js';

const saltOctets = { least: 8, most: 48 } as const;
const digestOctets = { least: 16, most: 64 } as const;

/** What is wrong with the lengths of salt and digest, as the end of a sentence; null where nothing is. */
export const phcOctetsFault = ({ salt, digest }: PhcString): string | null => {
  if (salt.length < saltOctets.least || salt.length > saltOctets.most) {
    return `whose salt has not ${saltOctets.least} to ${saltOctets.most} octets`;
  }
  if (digest.length < digestOctets.least || digest.length > digestOctets.most) {
    return `whose digest has not ${digestOctets.least} to ${digestOctets.most} octets`;
  }
  return null;
};

/** So many zero octets as a PHC string has them: base64 without its padding. */
export const zeroOctets = (count: number): string => 'A'.repeat(Math.ceil((count * 4) / 3));

/** The parts of a password hash in the PHC string format, `$id[$v=version]$name=number,...$salt$digest`. */
export interface PhcString {
  readonly id: string;
  /** Null where the string has none. */
  readonly version: number | null;
  /** Values of the parameters that were asked for, in that order. */
  readonly parameters: readonly number[];
  readonly salt: Uint8Array;
  readonly digest: Uint8Array;
}

/** Digits of a parameter, at most: no bound of any parameter has more. */
const parameterDigits = 10;

/** The padding that the format leaves out is what the decoder insists on. */
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

/** Null for what is no such string, or has other parameters than those, or has them in another order. */
export const parsePhcString = (text: string, names: readonly string[]): PhcString | null => {
  const [before, id, ...fields] = text.split('$');
  if (before !== '' || id === undefined) return null;
  const version = fields.length === 4 ? namedNumber(fields.shift() as string, 'v') : null;
  // Three fields are what is left, unless there was one more that is no version.
  const [parameterText, saltText, digestText, ...more] = fields;
  if (parameterText === undefined || saltText === undefined || digestText === undefined || more.length > 0) return null;
  const parameters = namedNumbers(parameterText, names);
  const salt = decodeUnpadded(saltText);
  const digest = decodeUnpadded(digestText);
  if (parameters === null || salt === null || digest === null) return null;
  return { id, version, parameters, salt, digest };
};
