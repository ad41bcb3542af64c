import type { SeededRandom } from './seeded-random.js';
import * as words from './tricky-words.js';

const letters = 'abcdefgh\r\n0:';

/** Octets of content. Some look like a request. */
export const contentOf = (random: SeededRandom, length = random.below(random.chance(0.05) ? 3_000 : 24)): string => {
  if (random.chance(0.1)) return 'GET /inner HTTP/1.1\r\nHost: inner\r\n\r\n';
  let text = '';
  for (let count = 0; count < length; count += 1) text += letters[random.below(letters.length)];
  return text;
};

const trailers = [
  'X-Sum: 1',
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Host: b',
  'X-A : b',
  ' X: y',
  'X: \0',
];

/** A body in chunks. `oddity`: the share of its parts that are not as they should be. */
export const chunkedBody = (random: SeededRandom, oddity: number): string => {
  let text = '';
  for (let chunks = random.below(4); chunks > 0; chunks -= 1) {
    const content = contentOf(random);
    if (content.length === 0) continue;
    const size = content.length.toString(16);
    text += random.chance(oddity)
      ? random.pick(words.chunkSizes)
      : random.chance(0.1)
        ? `0${size.toUpperCase()}`
        : size;
    text += random.chance(oddity) ? random.pick(words.lineEnds) : '\r\n';
    text += content;
    text += random.chance(oddity) ? random.pick([...words.lineEnds, '', 'x\r\n']) : '\r\n';
  }
  text += random.chance(oddity) ? random.pick(['00', '0;a', '0 ', '', '0x0', '-0']) : '0';
  text += random.chance(oddity) ? random.pick(words.lineEnds) : '\r\n';
  for (let lines = random.chance(0.15) ? 1 + random.below(2) : 0; lines > 0; lines -= 1) {
    text += `${random.chance(oddity) ? random.pick(trailers) : 'X-Sum: 1'}\r\n`;
  }
  return text + (random.chance(oddity) ? random.pick([...words.lineEnds, '']) : '\r\n');
};
