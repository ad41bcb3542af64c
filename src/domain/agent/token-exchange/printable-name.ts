import { isWellFormed } from '../../shared/well-formed.js';

/** Characters of a name, at the most. */
export const maximumPrintableNameLength = 1024;

/** Neither controls nor what breaks lines, nor what turns the direction of a text around: logs show it. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a text can be the name of an audience or of a claim. */
export const isPrintableName = (text: string): boolean =>
  text !== '' && text.length <= maximumPrintableNameLength && isWellFormed(text) && !unprintable.test(text);
