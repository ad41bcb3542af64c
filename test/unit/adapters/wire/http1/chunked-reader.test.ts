import { describe, expect, it } from 'vitest';
import { ChunkedReader } from '../../../../../src/adapters/wire/http1/chunked-reader.js';
import { octetsOf, textOf } from '../../../../support/gateway/http1-stream.js';

interface Reading {
  readonly body: string;
  readonly trailers: readonly string[];
  /** `more`, `end` with the octets behind, or the fault. */
  readonly ending: string;
}

const readPieces = (pieces: readonly string[], maxTrailerOctets = 1_024): Reading => {
  const reader = new ChunkedReader(textOf, maxTrailerOctets);
  let body = '';
  let ending = 'more';
  for (const piece of pieces) {
    const octets = octetsOf(piece);
    let step = reader.step(octets, 0, octets.length);
    for (; step === 'data'; step = reader.step(octets, reader.at, octets.length)) {
      body += textOf(octets, reader.dataStart, reader.dataEnd);
    }
    ending =
      step === 'faulty' ? String(reader.fault) : step === 'end' ? `end, ${octets.length - reader.at} behind` : step;
    if (step !== 'more') break;
  }
  return { body, trailers: reader.trailers, ending };
};

const read = (text: string, maxTrailerOctets?: number): Reading => readPieces([text], maxTrailerOctets);

describe('ChunkedReader', () => {
  it('reads chunks, the last chunk and trailer fields, and nothing behind', () => {
    expect(read('5\r\nhello\r\nB\r\n, my world!\r\n000\r\nX-Sum: 42 \r\nx-sum:\r\n\r\nGET / HTTP/1.1')).toEqual({
      body: 'hello, my world!',
      trailers: ['X-Sum', '42', 'x-sum', ''],
      ending: 'end, 14 behind',
    });
  });

  it('takes octets of content as they are, line ends among them', () => {
    expect(read('7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n')).toMatchObject({ body: '\r\n0\r\n\r\n', ending: 'end, 0 behind' });
  });

  it('gives parts of a chunk as they come', () => {
    const reader = new ChunkedReader(textOf, 1_024);
    const octets = octetsOf('a\r\n01234');
    expect(reader.step(octets, 0, octets.length)).toBe('data');
    expect([reader.dataStart, reader.dataEnd, reader.at]).toEqual([3, 8, 8]);
    expect(reader.step(octets, reader.at, octets.length)).toBe('more');
    const rest = octetsOf('56789\r\n0\r\n\r\n');
    expect(reader.step(rest, 0, rest.length)).toBe('data');
    expect([reader.dataStart, reader.dataEnd]).toEqual([0, 5]);
    expect(reader.step(rest, reader.at, rest.length)).toBe('end');
  });

  it.each<[string, string, string]>([
    ['no size', '\r\nhello\r\n', 'invalid_chunk_size'],
    ['a size that is no number', 'g\r\n', 'invalid_chunk_size'],
    ['a size with a sign', '+5\r\nhello\r\n', 'invalid_chunk_size'],
    ['a negative size', '-1\r\n', 'invalid_chunk_size'],
    ['a size with a prefix', '0x5\r\nhello\r\n', 'invalid_chunk_extension'],
    ['a blank before the size', ' 5\r\nhello\r\n', 'invalid_chunk_size'],
    ['a blank behind the size', '5 \r\nhello\r\n', 'invalid_chunk_extension'],
    ['a tab behind the size', '5\t\r\nhello\r\n', 'invalid_chunk_extension'],
    ['a name behind the size without a semicolon', '5a=b\r\nhello\r\n', 'invalid_chunk_extension'],
    ['a name behind a blank', '5 a\r\nhello\r\n', 'invalid_chunk_extension'],
    ['an extension without a size', ';a=b\r\nhello\r\n', 'invalid_chunk_size'],
    ['a bare line feed in an extension', '5;a\nhello\r\n', 'invalid_chunk_extension'],
    ['a bare carriage return in an extension', '5;a\rb\r\nhello\r\n', 'invalid_chunk_size'],
    ['a line end in a quoted string', '5;a="b\r\nhello"\r\n', 'invalid_chunk_extension'],
    ['a line feed in a quoted string', '5;a="b\nc"\r\nhello\r\n', 'invalid_chunk_extension'],
    ['an escaped line end', '5;a="b\\\r\n"\r\nhello\r\n', 'invalid_chunk_extension'],
    ['a quoted string that ends with an escaped quote', '5;a="b\\"\r\nhello\r\n', 'invalid_chunk_extension'],
    ['an extension of nothing', '5;\r\nhello\r\n', 'invalid_chunk_extension'],
    ['an extension without a name', '5;=b\r\nhello\r\n', 'invalid_chunk_extension'],
    ['an extension without a value', '5;a=\r\nhello\r\n', 'invalid_chunk_extension'],
    ['a blank behind an extension', '5;a \r\nhello\r\n', 'invalid_chunk_extension'],
    ['two words in an extension', '5;a b\r\nhello\r\n', 'invalid_chunk_extension'],
    ['a word behind a quoted string', '5;a="b"c\r\nhello\r\n', 'invalid_chunk_extension'],
    ['NUL in an extension', '5;a\0\r\nhello\r\n', 'invalid_chunk_extension'],
    ['DEL in an extension', '5;a\x7f\r\nhello\r\n', 'invalid_chunk_extension'],
    ['an extension of 257 octets', `5;${'a'.repeat(256)}\r\nhello\r\n`, 'chunk_extensions_too_large'],
    ['257 blanks before an extension', `5${' '.repeat(257)};\r\nhello\r\n`, 'chunk_extensions_too_large'],
    [
      'extensions of 8,193 octets in all',
      `${`1;${'a'.repeat(255)}\r\nx\r\n`.repeat(32)}1;`,
      'chunk_extensions_too_large',
    ],
    ['a bare line feed behind the size', '5\nhello\r\n', 'invalid_chunk_extension'],
    ['a bare carriage return behind the size', '5\rhello\r\n', 'invalid_chunk_size'],
    ['NUL behind the size', '5\0\r\n', 'invalid_chunk_extension'],
    ['a size of 17 digits with zeros in front', '00000000000000005\r\n', 'chunk_size_overflow'],
    ['a last size of 17 zeros', '00000000000000000\r\n', 'chunk_size_overflow'],
    ['a size beyond 32 bits twice over', 'fffffffffffffff\r\n', 'chunk_size_overflow'],
    ['a size that overflows 64 bits', '10000000000000005\r\nhello', 'chunk_size_overflow'],
    ['a size just beyond what is counted', '10000000000001\r\n', 'chunk_size_overflow'],
    ['content longer than its size', '5\r\nhello!\r\n', 'invalid_chunk_end'],
    ['content shorter than its size', '6\r\nhello\r\n0\r\n\r\n', 'invalid_chunk_end'],
    ['content that ends with a bare line feed', '5\r\nhello\n0\r\n\r\n', 'invalid_chunk_end'],
    ['content that ends with a bare carriage return', '5\r\nhello\r0\r\n\r\n', 'invalid_chunk_end'],
    ['a bare line feed as the last line', '0\r\n\n', 'invalid_line_end'],
    ['something behind the last chunk', '0\r\nGET / HTTP/1.1\r\n\r\n', 'invalid_field_name'],
    ['a folded trailer field', '0\r\nA: b\r\n c\r\n\r\n', 'obsolete_fold'],
    ['a space before the colon of a trailer field', '0\r\nA : b\r\n\r\n', 'invalid_field_name'],
    ['NUL in a trailer field', '0\r\nA: \0\r\n\r\n', 'invalid_field_value'],
  ])('refuses %s', (_, text, fault) => {
    expect(read(text).ending).toBe(fault);
    expect(readPieces([...text]).ending).toBe(fault);
  });

  it.each([
    ['a name', '5;a\r\nhello\r\n0\r\n\r\n'],
    ['a name and a value', '5;a=b\r\nhello\r\n0\r\n\r\n'],
    ['blanks wherever they may be', '5 \t; a = b ; c\r\nhello\r\n0\r\n\r\n'],
    ['a quoted string with all that it may have', '5;a="b;\t\\"=\\\\\xe9"\r\nhello\r\n0\r\n\r\n'],
    ['the last chunk', '5\r\nhello\r\n0;a=b\r\n\r\n'],
    ['256 octets', `5;${'a'.repeat(255)}\r\nhello\r\n0\r\n\r\n`],
    ['8,192 octets in all', `5\r\nhello\r\n${`1;${'a'.repeat(255)}\r\nx\r\n`.repeat(32)}0\r\n\r\n`],
  ])('ignores an extension of %s', (_, text) => {
    for (const pieces of [[text], [...text]]) {
      const { body, ending } = readPieces(pieces);
      expect([body.replaceAll('x', ''), ending]).toEqual(['hello', 'end, 0 behind']);
    }
  });

  it.each(['00000005', '000000005', '0000000000000005', '10000000000000', '0010000000000000'])(
    'takes the size %s',
    (size) => {
      expect(read(`${size}\r\nhello`)).toMatchObject({ body: 'hello', ending: 'more' });
    },
  );

  it('reads hexadecimal digits in either case, and no other octet', () => {
    const sizes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter(
      (digit) => read(`1${digit}\r\n`).ending === 'more',
    );
    expect(sizes.join('')).toBe('0123456789ABCDEFabcdef');
    expect(read(`1aB\r\n${'x'.repeat(0x1ab)}\r\n0\r\n\r\n`)).toMatchObject({ ending: 'end, 0 behind' });
  });

  it('reads trailer fields whatever their names, and lets them change nothing', () => {
    const fields = ['Content-Length: 1', 'Transfer-Encoding: x', 'Host: a', 'Host: b', 'Connection: "'];
    const { trailers, ending } = read(`0\r\n${fields.join('\r\n')}\r\n\r\n0`);
    expect(trailers).toEqual(fields.flatMap((field) => field.split(': ')));
    expect(ending).toBe('end, 1 behind');
  });

  it('takes trailer sections of as many octets as they may have, and no more', () => {
    const section = 'A: b\r\nC: d\r\n\r\n';
    for (const pieces of [[`0\r\n${section}`], [...`0\r\n${section}`]]) {
      expect(readPieces(pieces, section.length)).toMatchObject({
        trailers: ['A', 'b', 'C', 'd'],
        ending: 'end, 0 behind',
      });
      expect(readPieces(pieces, section.length - 1)).toMatchObject({ trailers: [], ending: 'trailers_too_large' });
    }
  });

  it('gives up a section once it has as many octets as it may have, and is not over', () => {
    for (const pieces of [['0\r\nA: bcd'], [...'0\r\nA: bcd']]) {
      expect(readPieces(pieces, 7).ending).toBe('more');
      expect(readPieces(pieces, 6).ending).toBe('trailers_too_large');
    }
  });

  it('tells of a fault in a section that has become too large', () => {
    // Octet by octet, the section is read when it has 8 octets, and then when it has all that it may have.
    const section = 'Abc: defg\0hijkl';
    for (const pieces of [[`0\r\n${section}`], [...`0\r\n${section}`]]) {
      expect(readPieces(pieces, 12).ending).toBe('invalid_field_value');
    }
  });

  it('stays faulty', () => {
    const reader = new ChunkedReader(textOf, 1_024);
    expect(reader.step(octetsOf('x'), 0, 1)).toBe('faulty');
    const good = octetsOf('5\r\nhello\r\n0\r\n\r\n');
    expect(reader.step(good, 0, good.length)).toBe('faulty');
    expect(reader.fault).toBe('invalid_chunk_size');
  });

  it('reads nothing behind the end', () => {
    const reader = new ChunkedReader(textOf, 1_024);
    const octets = octetsOf('0\r\n\r\n0\r\nA: b\r\n\r\n');
    expect(reader.step(octets, 0, octets.length)).toBe('end');
    expect(reader.step(octets, reader.at, octets.length)).toBe('end');
    expect([reader.at, reader.trailers]).toEqual([5, []]);
  });
});
