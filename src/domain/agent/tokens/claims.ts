/** Scopes in the value of one claim, as `hasScopes` reads them; some may be empty, or none that a scope can be. */
export const scopesIn = (value: ClaimValue | undefined): readonly string[] => {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
};

/**
 * Whether a token has every one of the scopes. They are read from `scope` (RFC 8693, section 4.2) and from `scp`,
 * which some providers write: text with the scopes separated by spaces, or an array with one scope in each item. Case
 * counts.
 */
export const hasScopes = (claims: Claims, required: readonly string[]): boolean => {
  if (required.length === 0) return true;
  const held = new Set([...scopesIn(claims['scope']), ...scopesIn(claims['scp'])]);
  return required.every((scope) => held.has(scope));
};

const isArray = (value: ClaimValue): value is readonly ClaimValue[] => Array.isArray(value);

const valueJson = (value: ClaimValue): string => {
  if (isClaimedNumber(value)) return claimedNumberText(value);
  if (isArray(value)) return `[${value.map(valueJson).join(',')}]`;
  return isClaims(value) ? claimsJson(value) : JSON.stringify(value);
};

/** Claims as JSON text, every number with all its digits: `parseClaims` reads the same claims from it. */
export const claimsJson = (claims: Claims): string => {
  const members = Object.entries(claims).map(([name, value]) => `${JSON.stringify(name)}:${valueJson(value)}`);
  return `{${members.join(',')}}`;
};

/** A number that neither a 64-bit integer nor a JavaScript number says exactly, as the token spells it. */
export class SpelledNumber {
  /** A number of JSON (RFC 8259, section 6), no longer than the token. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The value of a claim, in which no number has lost a digit. INVARIANT: a 64-bit integer is a number where it is a
 * safe integer, a bigint where it is not; any other number is a JavaScript number where `String` gives exactly its
 * value. No JsonValue on purpose: what a claim is must not be written as JSON, which knows no bigint.
 */
export type ClaimValue = null | boolean | number | bigint | string | SpelledNumber | readonly ClaimValue[] | Claims;

/** What a token says (RFC 7519, section 4). Any JsonObject with exact numbers is one. */
export interface Claims {
  readonly [name: string]: ClaimValue;
}

/** Whether it is an object with claims of its own. */
export const isClaims = (value: ClaimValue | undefined): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SpelledNumber);

/** Whether it is a number, however it is kept. */
export const isClaimedNumber = (value: ClaimValue | undefined): value is number | bigint | SpelledNumber =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof SpelledNumber;

/** A number in decimal digits, all of them. */
export const claimedNumberText = (number: number | bigint | SpelledNumber): string =>
  number instanceof SpelledNumber ? number.text : String(number);
