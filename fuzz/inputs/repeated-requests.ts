import { madeRequest } from './made-request.js';
import { mutated } from './mutated.js';
import type { SeededRandom } from './seeded-random.js';
import * as words from './tricky-words.js';

const fields = [
  'X-A: b',
  'X-A: c',
  'Accept: */*',
  'X-B: c d',
  'Connection: keep-alive',
  'Connection: X-A',
  'TE: trailers',
];

const requestLine = (random: SeededRandom, oddity: number): string => {
  const request = madeRequest(random, oddity);
  // Node tells of no end of the request in front of a preface of HTTP/2, or of what only looks like one.
  if (request.includes('PRI')) return 'GET / HTTP/1.1\r\n';
  return request.slice(0, request.indexOf('\r\n') + 2);
};

const someLines = (random: SeededRandom): string => {
  let lines = 'Host: a\r\n';
  for (let count = random.below(4); count > 0; count -= 1) {
    lines += `${random.pick(random.chance(0.05) ? words.otherFields : fields)}\r\n`;
  }
  return `${lines}\r\n`;
};

/**
 * Requests of one connection with the same fields, which a reader may remember, and behind them one that has nearly
 * the same, or the same behind something else. One octet for each character.
 */
export const repeatedRequests = (random: SeededRandom): string => {
  const lines = someLines(random);
  const one = `GET /same HTTP/1.1\r\n${lines}`;
  const other = `${requestLine(random, random.pick([0, 0.2, 0.5]))}${lines}`;
  const changed = mutated(random, other, random.below(3), () => (random.chance(0.5) ? one : madeRequest(random, 0.1)));
  return `${one}${one}${random.chance(0.3) ? one : ''}${changed}${random.chance(0.3) ? other : ''}`;
};
