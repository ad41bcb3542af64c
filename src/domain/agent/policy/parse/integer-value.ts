import type { Long } from '../values/value.js';
import type { Token } from './token.js';
import type { TokenCursor } from './token-cursor.js';

const maxLong = 9_223_372_036_854_775_807n;
const maxDigits = 19;

/** The value of a number token, negated if `negative`. Reports a problem beyond 64 bits. */
export const integerValue = (cursor: TokenCursor, token: Token, negative: boolean): Long => {
  let firstDigit = 0;
  while (firstDigit < token.text.length - 1 && token.text.charCodeAt(firstDigit) === 0x30) firstDigit += 1;
  const exceedsMaxDigits = token.text.length - firstDigit > maxDigits;
  const magnitude = exceedsMaxDigits ? maxLong + 2n : BigInt(token.text.slice(firstDigit));
  if (magnitude > (negative ? maxLong + 1n : maxLong)) {
    const limit = negative ? `-${maxLong + 1n}` : `${maxLong}`;
    cursor.report(`this number does not fit in 64 bits: the limit is ${limit}`, { start: token.start, end: token.end });
    return 0;
  }
  const value = negative ? -magnitude : magnitude;
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
};
