import { namesWithTraits } from './field-traits.js';

const longest = namesWithTraits.reduce((length, name) => Math.max(length, name.length), 0);

/** Of the first character: a letter shares these bits with its capital. */
const letterBits = 31;

/** By length and first letter, those that a name with traits has. */
const possible = new Uint8Array((longest + 1) * (letterBits + 1));
// INVARIANT: each of them begins with a letter, so that no other separator can stand in its place.
for (const name of namesWithTraits) possible[name.length * (letterBits + 1) + (name.charCodeAt(0) & letterBits)] = 1;

/** False: a name of this length that begins with this character has no traits. Most names are told so, and need not be looked up. */
export const mayHaveTraits = (length: number, firstCharacter: number): boolean =>
  length <= longest && possible[length * (letterBits + 1) + (firstCharacter & letterBits)] === 1;
