import type { SeededRandom } from './seeded-random.js';
import * as words from './tricky-words.js';

const replaced = (text: string, start: number, end: number, by: string): string =>
  `${text.slice(0, start)}${by}${text.slice(end)}`;

const anOctet = (random: SeededRandom): string =>
  random.chance(0.7)
    ? (words.octets[random.below(words.octets.length)] as string)
    : String.fromCharCode(random.below(256));

const lineMutated = (random: SeededRandom, text: string): string => {
  const lines = text.split('\r\n');
  const at = random.below(lines.length);
  const line = lines[at] as string;
  switch (random.below(5)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(random.below(lines.length), 0, line);
      break;
    case 2:
      lines.splice(random.below(lines.length), 0, ...lines.splice(at, 1));
      break;
    case 3:
      lines[at] = ` ${line}`;
      break;
    default:
      lines.splice(at, 0, random.pick(words.otherFields));
  }
  return lines.join('\r\n');
};

const aWord = (random: SeededRandom): string =>
  random.pick(
    random.pick([
      words.lineEnds,
      words.codings,
      words.lengths,
      words.separators,
      words.framingNames,
      words.chunkSizes,
      words.otherFields,
    ]),
  );

const mutatedOnce = (random: SeededRandom, text: string, other: () => string): string => {
  const at = random.below(text.length);
  switch (random.below(9)) {
    case 0:
      return replaced(text, at, at + 1, anOctet(random));
    case 1:
      return replaced(text, at, at, anOctet(random));
    case 2:
      return replaced(text, at, at + 1 + random.below(4), '');
    case 3: {
      const end = text.indexOf('\r\n', at);
      return end < 0 ? text : replaced(text, end, end + 2, random.pick(words.lineEnds));
    }
    case 4:
      return lineMutated(random, text);
    case 5: {
      const inserted = other();
      return replaced(text, at, at + random.below(6), inserted.slice(random.below(inserted.length)));
    }
    case 6:
      return replaced(text, at, at + random.below(8), aWord(random));
    case 7:
      return text.slice(0, at);
    default: {
      // The same octets twice: sizes and lengths no longer fit.
      const end = at + 1 + random.below(12);
      return replaced(text, end, end, text.slice(at, end));
    }
  }
};

/** A text with up to this many changes; `other` gives what else may be spliced in. */
export const mutated = (random: SeededRandom, text: string, changes: number, other: () => string): string => {
  let result = text;
  for (let count = 0; count < changes; count += 1) result = mutatedOnce(random, result, other);
  return result;
};
