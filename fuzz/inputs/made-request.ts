import { chunkedBody, contentOf } from './made-body.js';
import type { SeededRandom } from './seeded-random.js';
import * as words from './tricky-words.js';

/** How a body is announced. */
type Announced = 'no' | 'length' | 'chunked';

const announcedOf = (random: SeededRandom, method: string): Announced => {
  if ((method === 'GET' || method === 'HEAD') && random.chance(0.8)) return 'no';
  return random.pick(['length', 'length', 'chunked', 'chunked', 'no'] as const);
};

const framingField = (
  random: SeededRandom,
  oddity: number,
  name: string,
  value: string,
  oddValues: readonly string[],
) => {
  const odd = (): boolean => random.chance(oddity);
  const spelled = odd() ? random.pick(words.framingNames) : random.chance(0.2) ? name.toLowerCase() : name;
  const separator = odd() ? random.pick(words.separators) : ': ';
  return `${spelled}${separator}${odd() ? random.pick(oddValues) : value}`;
};

/**
 * A request as octets, one for each character: valid where `oddity` is 0, else so that this share of its parts is one
 * of those that readers have disagreed about.
 */
export const madeRequest = (random: SeededRandom, oddity: number): string => {
  const odd = (): boolean => random.chance(oddity);
  const method = odd() ? random.pick(words.oddMethods) : random.pick(words.methods);
  const target = odd() ? random.pick(words.oddTargets) : random.pick(words.targets);
  const version = odd() ? random.pick(words.oddVersions) : 'HTTP/1.1';
  const lineEnd = (): string => (odd() && random.chance(0.3) ? random.pick(words.lineEnds) : '\r\n');
  const fields: string[] = odd() ? [] : ['Host: a'];
  for (let count = random.below(4); count > 0; count -= 1) {
    fields.push(odd() ? random.pick(words.otherFields) : random.pick(['X-A: b', 'Accept: */*', 'X-B: c d', 'x-c:e']));
  }
  const announced = announcedOf(random, method);
  let body = '';
  if (announced === 'length') {
    body = contentOf(random);
    fields.push(framingField(random, oddity, 'Content-Length', String(body.length), words.lengths));
  } else if (announced === 'chunked') {
    body = chunkedBody(random, oddity / 2);
    fields.push(framingField(random, oddity, 'Transfer-Encoding', 'chunked', words.codings));
  }
  if (odd()) fields.push(framingField(random, oddity, 'Content-Length', String(body.length), words.lengths));
  if (odd()) fields.push(framingField(random, oddity, 'Transfer-Encoding', 'chunked', words.codings));
  if (fields.length > 1 && random.chance(0.3)) fields.push(fields.splice(random.below(fields.length), 1)[0] as string);
  const before = odd() && random.chance(0.2) ? random.pick(['\r\n', '\r\n\r\n', '\n', '\r', ' ', '\0']) : '';
  const gap = (): string => (odd() && random.chance(0.2) ? random.pick(['  ', '\t', '', '\r', '\v']) : ' ');
  let head = `${before}${method}${gap()}${target}${gap()}${version}${lineEnd()}`;
  for (const field of fields) head += `${field}${lineEnd()}`;
  return `${head}${lineEnd()}${body}`;
};
