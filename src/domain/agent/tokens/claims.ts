/** Scopes in the value of a claim, for `hasScopes`; may contain empty or invalid ones. */
export const scopesIn = (value: ClaimValue | undefined): readonly string[] => {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
};

/**
 * Whether a token has all the scopes. Reads `scope` (RFC 8693, section 4.2) and `scp`, which some providers use: a text
 * with scopes separated by spaces, or an array with one scope per item. Case-sensitive.
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

/** Claims as JSON with exact numbers; `parseClaims` reads the same claims from it. */
export const claimsJson = (claims: Claims): string => {
  const members = Object.entries(claims).map(([name, value]) => `${JSON.stringify(name)}:${valueJson(value)}`);
  return `{${members.join(',')}}`;
};

/** A number that neither a 64-bit integer nor a JavaScript number represents exactly, as spelled in the token. */
export class SpelledNumber {
  /** A JSON number (RFC 8259, section 6), at most as long as the token. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The exact value of a claim. INVARIANT: a 64-bit integer is a number if it is a safe integer, otherwise a bigint;
 * another number is a JavaScript number if `String` returns exactly its value. Not a JsonValue on purpose: claims must
 * not be serialised as JSON, which has no bigint.
 */
export type ClaimValue = null | boolean | number | bigint | string | SpelledNumber | readonly ClaimValue[] | Claims;

/** The claims of a token (RFC 7519, section 4). Any JsonObject with exact numbers is one. */
export interface Claims {
  readonly [name: string]: ClaimValue;
}

/** Whether the value is an object. */
export const isClaims = (value: ClaimValue | undefined): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SpelledNumber);

/** Whether the value is a number, in any representation. */
export const isClaimedNumber = (value: ClaimValue | undefined): value is number | bigint | SpelledNumber =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof SpelledNumber;

/** The exact decimal text of a number. */
export const claimedNumberText = (number: number | bigint | SpelledNumber): string =>
  number instanceof SpelledNumber ? number.text : String(number);

/** A NumericDate (RFC 7519, section 2) in milliseconds since the Unix epoch; null: no number. */
export const numericDateMs = (value: ClaimValue | undefined): number | null =>
  isClaimedNumber(value) ? Number(claimedNumberText(value)) * 1000 : null;
