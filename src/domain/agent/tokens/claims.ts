/** A number that neither a 64-bit integer nor a JavaScript number says exactly, as the token spells it. */
export class SpelledNumber {
  /** A number of JSON (RFC 8259, section 6), no longer than the token. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The value of a claim, in which no number has lost a digit. INVARIANT: a 64-bit integer is a number where it is a safe integer,
 * a bigint where it is not; any other number is a JavaScript number where `String` gives exactly its value. No JsonValue on
 * purpose: what a claim is must not be written as JSON, which knows no bigint.
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
