import { namesWithTraits } from './field-traits.js';

const longest = namesWithTraits.reduce((length, name) => Math.max(length, name.length), 0);

/** These bits of a letter are equal in both cases. */
const letterBits = 31;

/** By length and first letter, those that a name with traits has. */
const possible = new Uint8Array((longest + 1) * (letterBits + 1));
// INVARIANT: each name begins with a letter, so no other separator can replace its first character.
for (const name of namesWithTraits) possible[name.length * (letterBits + 1) + (name.charCodeAt(0) & letterBits)] = 1;

/** False if no name of this length and first character has traits. A fast path that excludes most names. */
export const mayHaveTraits = (length: number, firstCharacter: number): boolean =>
  length <= longest && possible[length * (letterBits + 1) + (firstCharacter & letterBits)] === 1;
