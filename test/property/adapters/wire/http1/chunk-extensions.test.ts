import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChunkedReader } from '../../../../../src/adapters/wire/http1/chunked-reader.js';
import { cut, cuts } from '../../../../support/gateway/http1-arbitraries.js';
import { octetsOf, textOf } from '../../../../support/gateway/http1-stream.js';

interface Reading {
  readonly body: string;
  readonly trailers: readonly string[];
  /** Text behind the end; a fault, or `more`. */
  readonly ending: string;
}

const read = (pieces: readonly Uint8Array[]): Reading => {
  const reader = new ChunkedReader(textOf, 1_024);
  let body = '';
  let ending = 'more';
  let behind: string | null = null;
  for (const octets of pieces) {
    if (behind !== null) {
      behind += textOf(octets, 0, octets.length);
      continue;
    }
    let step = reader.step(octets, 0, octets.length);
    for (; step === 'data'; step = reader.step(octets, reader.at, octets.length))
      body += textOf(octets, reader.dataStart, reader.dataEnd);
    if (step === 'faulty') return { body, trailers: [], ending: String(reader.fault) };
    if (step === 'end') behind = textOf(octets, reader.at, octets.length);
    else ending = step;
  }
  return { body, trailers: reader.trailers, ending: behind === null ? ending : `end, then ${behind}` };
};

const blanks = fc.stringMatching(/^[ \t]{0,3}$/);
const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
const quoted = fc
  .array(fc.oneof(fc.stringMatching(/^[\t !#-[\]-~\x80-\xff]$/), fc.stringMatching(/^\\[\t -~\x80-\xff]$/)), {
    maxLength: 12,
  })
  .map((parts) => `"${parts.join('')}"`);
/** RFC 9112, section 7.1.1. */
const extension = fc
  .tuple(blanks, blanks, token, fc.option(fc.tuple(blanks, blanks, fc.oneof(token, quoted))))
  .map(([before, behind, name, value]) => {
    const said = value === null ? '' : `${value[0]}=${value[1]}${value[2]}`;
    return `${before};${behind}${name}${said}`;
  });
const extensions = fc.array(extension, { maxLength: 3 }).map((parts) => parts.join(''));
const zeros = fc.nat({ max: 13 }).map((count) => '0'.repeat(count));

const chunk = fc.record({ content: fc.stringMatching(/^[\x00-\xff]{1,40}$/), zeros, extensions });
const chunkText = (content: string, before: string, behind: string): string =>
  `${before}${content.length.toString(16)}${behind}\r\n${content}\r\n`;

const trailers = fc.constantFrom('\r\n', 'A: b\r\n\r\n');
const rest = fc.constantFrom('', 'GET / HTTP/1.1\r\n\r\n', '5\r\nhello\r\n');

it('extensions, and zeros in front of sizes, leave the body, the trailers and the end what they are', () => {
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 5 }),
      fc.record({ zeros, extensions }),
      trailers,
      rest,
      cuts,
      (chunks, last, fields, behind, places) => {
        const plain = chunks.map(({ content }) => chunkText(content, '', '')).join('');
        const extended = chunks.map((each) => chunkText(each.content, each.zeros, each.extensions)).join('');
        const expected = read([octetsOf(`${plain}0\r\n${fields}${behind}`)]);
        expect(expected.ending).toBe(`end, then ${behind}`);
        const octets = octetsOf(`${extended}0${last.zeros}${last.extensions}\r\n${fields}${behind}`);
        expect(read([octets])).toEqual(expected);
        expect(read(cut(octets, places))).toEqual(expected);
        expect(read(Array.from(octets, (octet) => Uint8Array.of(octet)))).toEqual(expected);
      },
    ),
    { numRuns: 1_000 },
  );
});

it('no CR or LF in an extension is taken for a part of it', () => {
  const ends = fc.constantFrom('\n', '\r', '\r\r\n', '\n\r', '\\\r\n', '"\r\n', '\\\n');
  fc.assert(
    fc.property(extension, ends, fc.nat(), fc.constantFrom('', '"', ';b="'), (text, end, place, opening) => {
      const whole = `${opening === '"' ? ';a="' : `${text}${opening}`}`;
      // A line end within quotes, and any other one than CR LF, anywhere.
      const isQuoted = opening !== '';
      const at = isQuoted ? whole.length : 1 + (place % whole.length);
      const inserted = isQuoted ? '\r\n' : end.replace(/^["\\]*\r\n$/, '\n');
      const octets = octetsOf(`1${whole.slice(0, at)}${inserted}${whole.slice(at)}\r\nx\r\n0\r\n\r\n`);
      const { body, ending } = read([octets]);
      expect(body).toBe('');
      expect(ending).toMatch(/^invalid_chunk_(size|extension)$/);
    }),
    { numRuns: 1_000 },
  );
});
