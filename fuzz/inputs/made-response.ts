import { chunkedBody, contentOf } from './made-body.js';
import type { SeededRandom } from './seeded-random.js';
import * as words from './tricky-words.js';

const oddStatuses = ['099', '000', '1000', '20', '2 0', '+20', '999', '101', '100', '0200', '2OO', ''];
const oddReasons = ['', ' ', ' OK\0', ' O\rK', ' O\nK', ' \xff', ' OK\t', '\tOK', ' HTTP/1.1 200 OK'];

const interim = (random: SeededRandom): string =>
  `HTTP/1.1 ${random.pick(['100 Continue', '103 Early Hints', '102 Processing', '150 X'])}\r\n${random.pick(['', '', 'X-A: b\r\n', 'Content-Length: 5\r\n'])}\r\n`;

/** A response as octets, one for each character; `mark` stands in a field and in its body. `oddity` as for requests. */
export const madeResponse = (random: SeededRandom, oddity: number, mark: string): string => {
  const odd = (): boolean => random.chance(oddity);
  let text = '';
  for (let count = odd() ? 1 + random.below(3) : 0; count > 0; count -= 1) text += interim(random);
  const version = odd() ? random.pick(words.oddVersions) : 'HTTP/1.1';
  const status = odd()
    ? random.pick(oddStatuses)
    : random.pick(['200', '200', '200', '204', '304', '404', '500', '206']);
  const reason = odd() ? random.pick(oddReasons) : ' OK';
  const lineEnd = (): string => (odd() && random.chance(0.3) ? random.pick(words.lineEnds) : '\r\n');
  const fields = [`X-Mark: ${mark}`];
  if (odd()) fields.push(random.pick(words.otherFields));
  const content = `${mark}${contentOf(random)}`;
  let body = content;
  const announced = random.pick(['length', 'length', 'chunked', 'chunked', 'close'] as const);
  if (announced === 'length') {
    fields.push(
      `Content-Length${odd() ? random.pick(words.separators) : ': '}${odd() ? random.pick(words.lengths) : content.length}`,
    );
  } else if (announced === 'chunked') {
    body = chunkedBody(random, oddity / 2);
    fields.push(
      `Transfer-Encoding${odd() ? random.pick(words.separators) : ': '}${odd() ? random.pick(words.codings) : 'chunked'}`,
    );
  }
  if (odd()) fields.push(`Content-Length: ${odd() ? random.pick(words.lengths) : content.length}`);
  if (odd()) fields.push(`Transfer-Encoding: ${odd() ? random.pick(words.codings) : 'chunked'}`);
  text += `${version} ${status}${reason}${lineEnd()}`;
  for (const field of fields) text += `${field}${lineEnd()}`;
  return `${text}${lineEnd()}${body}`;
};
