import { chunked, last, post, refused, smuggled, sources, type Trick } from './trick.js';

/** A body in chunks whose octets are these. */
const body = (name: string, octets: string, source = sources.chunks): Trick =>
  refused(`a chunk ${name}`, source, post([chunked], `${octets}${smuggled}`));

const hello = 'hello\r\n0\r\n\r\n';

/** Extensions that are ignored, in front of a whole request. */
const ignored = (name: string, octets: string, source = sources.funky): Trick => ({
  name: `a chunk ${name}`,
  source,
  octets: post([chunked], `${octets}${last}`),
  statuses: [200, 200],
  out: ['/first', '/last'],
});

export const chunkTricks: readonly Trick[] = [
  body('size with 0x', `0x5\r\n${hello}`),
  body('size with +', `+5\r\n${hello}`),
  body('size with -', `-5\r\n${hello}`),
  body('size behind a space', ` 5\r\n${hello}`),
  body('size before a space', `5 \r\n${hello}`, 'CVE-2021-22960'),
  body('size before a tab', `5\t\r\n${hello}`),
  body('size with an underscore', `5_\r\n${hello}`),
  body('size with a point', `5.\r\n${hello}`),
  body('size with a NUL', `5\0\r\n${hello}`),
  body('size that is no digit', `g\r\n${hello}`),
  body('size that is not there', `\r\n${hello}`),
  body('size that overflows 64 bits', `10000000000000005\r\n${hello}`),
  body('size of all bits', `ffffffffffffffff\r\n${hello}`),
  {
    ...refused(
      'a chunk size with a hundred zeros',
      sources.chunks,
      post([chunked], `${'0'.repeat(100)}5\r\n${hello}${last}`),
    ),
  },
  body('size that ends in LF', `5\n${hello}`, sources.lineEnds),
  body('size that ends in CR', `5\rhello\r\n0\r\n\r\n`, sources.lineEnds),
  body('size that ends in CR CR LF', `5\r\r\n${hello}`),
  body('without its line end', '5\r\nhello0\r\n\r\n'),
  body('that ends in LF', '5\r\nhello\n0\r\n\r\n', sources.funky),
  body('that ends in other octets', '5\r\nhelloXX0\r\n\r\n', sources.funky),
  body('longer than its size', '5\r\nhello!\r\n0\r\n\r\n', sources.funky),
  body('that ends in CR alone', '5\r\nhello\r0\r\n\r\n', sources.funky),
  body('with a last size of -0', '5\r\nhello\r\n-0\r\n\r\n'),
  body('with a last size that ends in LF', '5\r\nhello\r\n0\n\r\n', sources.lineEnds),
  body('with a bad trailer behind it', '0\r\nX : y\r\n\r\n', sources.fields),
  body('with a folded trailer behind it', '0\r\nX: y\r\n z\r\n\r\n', sources.fields),
  body('with a NUL in a trailer behind it', '0\r\nX: \0\r\n\r\n', sources.fields),
  body('with a trailer that ends in LF behind it', '0\r\nX: y\n\r\n', sources.lineEnds),
  body('with an extension that ends in LF (TERM.EXT)', `5;\n${hello}`, sources.funky),
  body('with an extension that holds CR (EXT.TERM)', `5;a\rb\r\n${hello}`, sources.funky),
  body('with an extension that holds NUL', `5;a=\0\r\n${hello}`, sources.funky),
  body('with a line end in a quoted extension', `5;a="\r\nhello\r\n0\r\n\r\n${smuggled}"\r\n${hello}`, sources.funky),
  body('with an escaped line end in a quoted extension', `5;a="\\\r\n"\r\n${hello}`, sources.funky),
  body('with a long extension', `5;${'a'.repeat(1_000)}\r\n${hello}`, 'CVE-2024-22019'),
  body('with a thousand extensions', `${`1;${'a'.repeat(200)}\r\nx\r\n`.repeat(1_000)}0\r\n\r\n`, 'CVE-2024-22019'),
  ignored('with an extension', `5;a=b\r\n${hello}`, 'RFC 9112, section 7.1.1'),
  ignored('with an extension that is quoted', `5;a="b"\r\n${hello}`),
  ignored('with an extension that is quoted and looks like a chunk', `5 ; a = "\\";0;" ;b\r\n${hello}`),
  ignored('with an extension on the last one', `5\r\nhello\r\n0;a\r\n\r\n`),
  {
    name: 'chunks with sizes in capitals and with zeros before them',
    source: sources.chunks,
    octets: post([chunked], `0A\r\n0123456789\r\n005\r\nhello\r\n000\r\n\r\n${last}`),
    statuses: [200, 200],
    out: ['/first', '/last'],
  },
];
