import { maximumJsonDepth } from '../../../shared/strict-json.js';
import { type Claims, type ClaimValue, isClaims, SpelledNumber } from '../../tokens/claims.js';
import { emptyRecord, recordOf } from '../values/record-value.js';
import { setOf } from '../values/set-value.js';
import type { RecordValue, Value } from '../values/value.js';

/** The sum turns -0 into 0. */
const numberValue = (claim: number): Value => (Number.isSafeInteger(claim) ? claim + 0 : String(claim));

const isArray = (claim: ClaimValue): claim is readonly ClaimValue[] => Array.isArray(claim);

const arrayValue = (items: readonly ClaimValue[], depth: number): Value => {
  const values: Value[] = [];
  for (const item of items) {
    const value = claimValue(item, depth);
    if (value !== undefined) values.push(value);
  }
  return setOf(values);
};

const objectValue = (claims: Claims, depth: number): RecordValue => {
  const entries: (readonly [string, Value])[] = [];
  for (const [name, claim] of Object.entries(claims)) {
    const value = claimValue(claim, depth);
    if (value !== undefined) entries.push([name, value]);
  }
  return recordOf(entries);
};

/** Undefined: absent. */
const claimValue = (claim: ClaimValue, depth: number): Value | undefined => {
  if (typeof claim === 'string' || typeof claim === 'boolean' || typeof claim === 'bigint') return claim;
  if (typeof claim === 'number') return numberValue(claim);
  if (claim instanceof SpelledNumber) return claim.text;
  // INVARIANT: the reader of tokens nests no deeper, so that nothing is lost here.
  if (depth >= maximumJsonDepth) return undefined;
  if (isArray(claim)) return arrayValue(claim, depth + 1);
  return isClaims(claim) ? objectValue(claim, depth + 1) : undefined;
};

/**
 * Claims as policies see them: data and nothing else. An array is a set, an object a record, whatever its keys are named
 * (`__entity`, `__extn`): no claim ever becomes an entity or a value of an extension. A null is absent, in arrays too; a number
 * that is no 64-bit integer is a string.
 */
export const claimsRecord = (claims: Claims | null): RecordValue =>
  claims === null ? emptyRecord : objectValue(claims, 1);
