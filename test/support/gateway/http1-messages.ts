/** Octets of a stream of HTTP/1 messages, one character each, and how the codec reads them. */
export interface Http1Row {
  readonly title: string;
  readonly octets: string;
  /**
   * Each message with a readable head: `GET /a 1.1 [host: a; x: y] "body" {trailer: z}`. Fields, body and trailers
   * are left out where there are none; `...` ends a message that has not ended.
   */
  readonly messages: readonly string[];
  /** `between` and `within` messages; `closed`: the last message ends the connection; `tunnel`; or the fault. */
  readonly ending: string;
}

const row =
  (lineEnd: string) =>
  (title: string, lines: readonly string[], messages: readonly string[], ending: string): Http1Row => ({
    title,
    octets: lines.join(lineEnd),
    messages,
    ending,
  });

/** Lines joined by CR LF. The last one is what stands behind the last CR LF: content, or nothing. */
const crlf = row('\r\n');
/** Pieces joined as they are. */
const raw = row('');

const refused = (title: string, lines: readonly string[], fault: string): Http1Row => crlf(title, lines, [], fault);

const targets: readonly Http1Row[] = [
  crlf('a request without fields', ['GET / HTTP/1.1', '', ''], ['GET / 1.1'], 'between'),
  crlf('a request of HTTP/1.0, which ends its connection', ['GET /old HTTP/1.0', '', ''], ['GET /old 1.0'], 'closed'),
  crlf('a query', ['GET /find?q=a%20b&n=2 HTTP/1.1', '', ''], ['GET /find?q=a%20b&n=2 1.1'], 'between'),
  crlf(
    'an absolute target',
    ['GET http://shop.test/cart HTTP/1.1', '', ''],
    ['GET http://shop.test/cart 1.1'],
    'between',
  ),
  crlf('the asterisk', ['OPTIONS * HTTP/1.1', '', ''], ['OPTIONS * 1.1'], 'between'),
  crlf('a method that nobody has registered', ['POLISH /lamp HTTP/1.1', '', ''], ['POLISH /lamp 1.1'], 'between'),
  crlf('a method in lower case, which is another method', ['get / HTTP/1.1', '', ''], ['get / 1.1'], 'between'),
  crlf(
    'a method of all the marks of a token',
    ["!#$%&'*+-.^_`|~9 / HTTP/1.1", '', ''],
    ["!#$%&'*+-.^_`|~9 / 1.1"],
    'between',
  ),
  crlf('an escaped target as it came', ['GET /%2e%2E/%zz HTTP/1.1', '', ''], ['GET /%2e%2E/%zz 1.1'], 'between'),
  crlf('one empty line before a request', ['', 'GET / HTTP/1.1', '', ''], ['GET / 1.1'], 'between'),
];

const refusedRequestLines: readonly Http1Row[] = [
  refused('an empty method', [' / HTTP/1.1', '', ''], 'invalid_method'),
  refused('a method with a bracket', ['GE[T / HTTP/1.1', '', ''], 'invalid_method'),
  refused('a tab in place of the first space', ['GET\t/ HTTP/1.1', '', ''], 'invalid_method'),
  refused('two spaces before the target', ['GET  / HTTP/1.1', '', ''], 'invalid_target'),
  refused('a target with an octet above 127', ['GET /caf\xe9 HTTP/1.1', '', ''], 'invalid_target'),
  refused('a target with a NUL', ['GET /a\0b HTTP/1.1', '', ''], 'invalid_target'),
  refused('a target with a tab', ['GET /a\tb HTTP/1.1', '', ''], 'invalid_target'),
  refused('a target with a delete', ['GET /a\x7f HTTP/1.1', '', ''], 'invalid_target'),
  refused('a request line without a version', ['GET /', '', ''], 'invalid_version'),
  refused('a space behind the version', ['GET / HTTP/1.1 ', '', ''], 'invalid_version'),
  refused('a version in lower case', ['GET / http/1.1', '', ''], 'invalid_version'),
  refused('a version of another protocol', ['GET / SIP/2.0', '', ''], 'invalid_version'),
  refused('a version with two digits', ['GET / HTTP/1.10', '', ''], 'invalid_version'),
  refused('a version with a letter', ['GET / HTTP/1.x', '', ''], 'invalid_version'),
  refused('HTTP/1.7', ['GET / HTTP/1.7', '', ''], 'unsupported_version'),
  refused('HTTP/2.0 in a line', ['GET / HTTP/2.0', '', ''], 'unsupported_version'),
  refused('HTTP/0.9 in a line', ['GET / HTTP/0.9', '', ''], 'unsupported_version'),
];

const fields: readonly Http1Row[] = [
  crlf('names as they came', ['GET / HTTP/1.1', 'X-MiXed: 1', '', ''], ['GET / 1.1 [X-MiXed: 1]'], 'between'),
  crlf(
    'a value without the blanks around it',
    ['GET / HTTP/1.1', 'a: \t v w \t', '', ''],
    ['GET / 1.1 [a: v w]'],
    'between',
  ),
  crlf('a value directly behind its colon', ['GET / HTTP/1.1', 'a:v', '', ''], ['GET / 1.1 [a: v]'], 'between'),
  crlf('an empty value', ['GET / HTTP/1.1', 'a:', 'b: ', '', ''], ['GET / 1.1 [a: ; b: ]'], 'between'),
  crlf('a value with a colon', ['GET / HTTP/1.1', 'a: b: c', '', ''], ['GET / 1.1 [a: b: c]'], 'between'),
  crlf('a value with a tab within', ['GET / HTTP/1.1', 'a: b\tc', '', ''], ['GET / 1.1 [a: b\tc]'], 'between'),
  crlf(
    'a value with octets above 127',
    ['GET / HTTP/1.1', 'a: \xe9\xff', '', ''],
    ['GET / 1.1 [a: \xe9\xff]'],
    'between',
  ),
  crlf(
    'a field that comes twice, in its order',
    ['GET / HTTP/1.1', 'a: 1', 'b: 2', 'A: 3', '', ''],
    ['GET / 1.1 [a: 1; b: 2; A: 3]'],
    'between',
  ),
  crlf('a name of digits and marks', ['GET / HTTP/1.1', '1_~!: v', '', ''], ['GET / 1.1 [1_~!: v]'], 'between'),
  crlf(
    'a length of zero',
    ['POST / HTTP/1.1', 'content-length: 0', '', ''],
    ['POST / 1.1 [content-length: 0]'],
    'between',
  ),
  crlf('a head that has not come to its end', ['GET / HTTP/1.1', 'a: b', ''], [], 'within'),
  crlf('the beginning of a request line', ['GE'], [], 'within'),
];

const refusedFields: readonly Http1Row[] = [
  raw('line feeds alone', ['GET / HTTP/1.1\nhost: a\n\n'], [], 'invalid_line_end'),
  raw('a line feed alone behind a field', ['GET / HTTP/1.1\r\na: b\nhost: a\r\n\r\n'], [], 'invalid_line_end'),
  raw('a carriage return alone in a value', ['GET / HTTP/1.1\r\na: b\rc\r\n\r\n'], [], 'invalid_line_end'),
  raw('two carriage returns', ['GET / HTTP/1.1\r\na: b\r\r\n\r\n'], [], 'invalid_line_end'),
  raw('a carriage return in place of the last line', ['GET / HTTP/1.1\r\na: b\r\n\r\r\n'], [], 'invalid_line_end'),
  refused('a folded value', ['GET / HTTP/1.1', 'a: b', ' c', '', ''], 'obsolete_fold'),
  refused('a value folded with a tab', ['GET / HTTP/1.1', 'a: b', '\tc', '', ''], 'obsolete_fold'),
  refused('a space before the first field', ['GET / HTTP/1.1', ' a: b', '', ''], 'obsolete_fold'),
  refused('a space before the colon', ['GET / HTTP/1.1', 'a : b', '', ''], 'invalid_field_name'),
  refused('a space within a name', ['GET / HTTP/1.1', 'a b: c', '', ''], 'invalid_field_name'),
  refused('a field without a name', ['GET / HTTP/1.1', ': b', '', ''], 'invalid_field_name'),
  refused('a line without a colon', ['GET / HTTP/1.1', 'lamp', '', ''], 'invalid_field_name'),
  refused('a name with a quote', ['GET / HTTP/1.1', '"a": b', '', ''], 'invalid_field_name'),
  refused('a name with an octet above 127', ['GET / HTTP/1.1', '\xe9: b', '', ''], 'invalid_field_name'),
  refused('a name with a NUL', ['GET / HTTP/1.1', 'a\0: b', '', ''], 'invalid_field_name'),
  refused('a value with a NUL', ['GET / HTTP/1.1', 'a: \0', '', ''], 'invalid_field_value'),
  refused('a value with a bell', ['GET / HTTP/1.1', 'a: \x07b', '', ''], 'invalid_field_value'),
  refused('a value with a delete', ['GET / HTTP/1.1', 'a: b\x7f', '', ''], 'invalid_field_value'),
  refused('two Host fields', ['GET / HTTP/1.1', 'host: a', 'Host: b', '', ''], 'repeated_host'),
  refused('two equal Host fields', ['GET / HTTP/1.1', 'host: a', 'host: a', '', ''], 'repeated_host'),
  refused(
    'a connection option with a space within',
    ['GET / HTTP/1.1', 'connection: keep alive', '', ''],
    'invalid_connection',
  ),
  refused('a connection option in quotes', ['GET / HTTP/1.1', 'connection: "close"', '', ''], 'invalid_connection'),
];

const lengths: readonly Http1Row[] = [
  crlf(
    'content of a length',
    ['PUT /b HTTP/1.1', 'content-length: 5', '', 'lamps'],
    ['PUT /b 1.1 [content-length: 5] "lamps"'],
    'between',
  ),
  crlf(
    'content with line ends in it',
    ['PUT /b HTTP/1.1', 'content-length: 6', '', 'a', '', 'b'],
    ['PUT /b 1.1 [content-length: 6] "a\\r\\n\\r\\nb"'],
    'between',
  ),
  crlf(
    'content that has not all come',
    ['PUT /b HTTP/1.1', 'content-length: 9', '', 'lamps'],
    ['PUT /b 1.1 [content-length: 9] "lamps"...'],
    'within',
  ),
  crlf(
    'a length with zeros in front',
    ['PUT /b HTTP/1.1', 'content-length: 003', '', 'abc'],
    ['PUT /b 1.1 [content-length: 003] "abc"'],
    'between',
  ),
  crlf(
    'a GET with content',
    ['GET / HTTP/1.1', 'content-length: 1', '', 'x'],
    ['GET / 1.1 [content-length: 1] "x"'],
    'between',
  ),
  refused(
    'two lengths that differ',
    ['POST / HTTP/1.1', 'content-length: 1', 'content-length: 2', '', 'ab'],
    'repeated_content_length',
  ),
  refused(
    'the same length twice',
    ['POST / HTTP/1.1', 'content-length: 1', 'Content-Length: 1', '', 'a'],
    'repeated_content_length',
  ),
  refused('a list of lengths', ['POST / HTTP/1.1', 'content-length: 1, 1', '', 'a'], 'invalid_content_length'),
  refused('an empty length', ['POST / HTTP/1.1', 'content-length: ', '', ''], 'invalid_content_length'),
  refused('a length with a plus', ['POST / HTTP/1.1', 'content-length: +4', '', 'abcd'], 'invalid_content_length'),
  refused('a length below zero', ['POST / HTTP/1.1', 'content-length: -4', '', 'abcd'], 'invalid_content_length'),
  refused('a hexadecimal length', ['POST / HTTP/1.1', 'content-length: 0x4', '', 'abcd'], 'invalid_content_length'),
  refused('a length with a fraction', ['POST / HTTP/1.1', 'content-length: 4.0', '', 'abcd'], 'invalid_content_length'),
  refused(
    'a length with a space within',
    ['POST / HTTP/1.1', 'content-length: 1 2', '', 'ab'],
    'invalid_content_length',
  ),
  refused(
    'a length with a tab around it',
    ['POST / HTTP/1.1', 'content-length:\t4', '', 'abcd'],
    'invalid_content_length',
  ),
  refused(
    'a length that no number holds',
    ['POST / HTTP/1.1', 'content-length: 99999999999999999999', '', ''],
    'invalid_content_length',
  ),
];

const chunked = ['POST /c HTTP/1.1', 'transfer-encoding: chunked', ''] as const;
const chunkedHead = 'POST /c 1.1 [transfer-encoding: chunked]';

const chunks: readonly Http1Row[] = [
  crlf('no chunk but the last', [...chunked, '0', '', ''], [chunkedHead], 'between'),
  crlf('two chunks', [...chunked, '3', 'red', '6', ' green', '0', '', ''], [`${chunkedHead} "red green"`], 'between'),
  crlf(
    'a size in capital letters',
    [...chunked, 'A', '0123456789', '0', '', ''],
    [`${chunkedHead} "0123456789"`],
    'between',
  ),
  crlf(
    'a size in small letters',
    [...chunked, 'b', '0123456789b', '0', '', ''],
    [`${chunkedHead} "0123456789b"`],
    'between',
  ),
  crlf('a size with zeros in front', [...chunked, '0002', 'ab', '00', '', ''], [`${chunkedHead} "ab"`], 'between'),
  crlf(
    'a chunk with line ends in it',
    [...chunked, '4', '\r\n\r\n', '0', '', ''],
    [`${chunkedHead} "\\r\\n\\r\\n"`],
    'between',
  ),
  crlf(
    'trailers',
    [...chunked, '1', 'x', '0', 'sum: 7', 'Note: ok', '', ''],
    [`${chunkedHead} "x" {sum: 7; Note: ok}`],
    'between',
  ),
  crlf('chunks that have not come to their end', [...chunked, '5', 'ab'], [`${chunkedHead} "ab"...`], 'within'),
  crlf('a last chunk without the line behind it', [...chunked, '0', ''], [`${chunkedHead}...`], 'within'),
  crlf(
    'the coding in other letters',
    ['POST /c HTTP/1.1', 'Transfer-Encoding: ChunKed', '', '1', 'x', '0', '', ''],
    ['POST /c 1.1 [Transfer-Encoding: ChunKed] "x"'],
    'between',
  ),
  crlf('a chunk extension', [...chunked, '1;lamp=on', 'x', '0', '', ''], [`${chunkedHead} "x"`], 'between'),
  crlf(
    'a chunk extension with a quoted value',
    [...chunked, '1;lamp="on; \\" off"', 'x', '0', '', ''],
    [`${chunkedHead} "x"`],
    'between',
  ),
  crlf(
    'a chunk extension whose quoted value does not end on its line',
    [...chunked, '1;lamp="on', 'x"', '0', '', ''],
    [`${chunkedHead}...`],
    'invalid_chunk_extension',
  ),
  crlf(
    'a chunk extension that is too long',
    [...chunked, `1;lamp=${'o'.repeat(300)}`, 'x', '0', '', ''],
    [`${chunkedHead}...`],
    'chunk_extensions_too_large',
  ),
  raw(
    'a line feed alone within a chunk extension',
    ['POST /c HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1;lamp\nx\r\n0\r\n\r\n'],
    [`${chunkedHead}...`],
    'invalid_chunk_extension',
  ),
  crlf('a chunk extension of the last chunk', [...chunked, '0;lamp', '', ''], [chunkedHead], 'between'),
  crlf(
    'a size with a space behind it',
    [...chunked, '1 ', 'x', '0', '', ''],
    [`${chunkedHead}...`],
    'invalid_chunk_extension',
  ),
  crlf(
    'a size with a space before it',
    [...chunked, ' 1', 'x', '0', '', ''],
    [`${chunkedHead}...`],
    'invalid_chunk_size',
  ),
  crlf('a size below zero', [...chunked, '-1', 'x', '0', '', ''], [`${chunkedHead}...`], 'invalid_chunk_size'),
  crlf('a size with 0x', [...chunked, '0x1', 'x', '0', '', ''], [`${chunkedHead}...`], 'invalid_chunk_extension'),
  crlf('an empty size', [...chunked, '', 'x', '0', '', ''], [`${chunkedHead}...`], 'invalid_chunk_size'),
  crlf(
    'a size that no number holds',
    [...chunked, 'fffffffffffffffff', 'x'],
    [`${chunkedHead}...`],
    'chunk_size_overflow',
  ),
  crlf(
    'sixteen digits with zeros in front',
    [...chunked, '0000000000000001', 'x', '0', '', ''],
    [`${chunkedHead} "x"`],
    'between',
  ),
  crlf(
    'seventeen digits with zeros in front',
    [...chunked, '00000000000000001', 'x', '0', '', ''],
    [`${chunkedHead}...`],
    'chunk_size_overflow',
  ),
  crlf(
    'more content than the size says',
    [...chunked, '1', 'xy', '0', '', ''],
    [`${chunkedHead} "x"...`],
    'invalid_chunk_end',
  ),
  raw(
    'a line feed alone behind a size',
    ['POST /c HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\nx\r\n0\r\n\r\n'],
    [`${chunkedHead}...`],
    'invalid_chunk_extension',
  ),
  raw(
    'a line feed alone behind content',
    ['POST /c HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\n0\r\n\r\n'],
    [`${chunkedHead} "x"...`],
    'invalid_chunk_end',
  ),
  crlf('a folded trailer', [...chunked, '0', 'a: b', ' c', '', ''], [`${chunkedHead}...`], 'obsolete_fold'),
  crlf('a trailer without a colon', [...chunked, '0', 'lamp', '', ''], [`${chunkedHead}...`], 'invalid_field_name'),
];

const codings: readonly Http1Row[] = [
  refused(
    'a length beside a coding',
    ['POST / HTTP/1.1', 'content-length: 3', 'transfer-encoding: chunked', '', '0', '', ''],
    'length_and_coding',
  ),
  refused(
    'a coding beside a length',
    ['POST / HTTP/1.1', 'transfer-encoding: chunked', 'content-length: 3', '', '0', '', ''],
    'length_and_coding',
  ),
  refused(
    'two coding fields',
    ['POST / HTTP/1.1', 'transfer-encoding: chunked', 'transfer-encoding: chunked', '', '0', '', ''],
    'repeated_transfer_encoding',
  ),
  refused(
    'a coding before chunked',
    ['POST / HTTP/1.1', 'transfer-encoding: deflate, chunked', '', '0', '', ''],
    'unknown_transfer_coding',
  ),
  refused(
    'chunked twice in a list',
    ['POST / HTTP/1.1', 'transfer-encoding: chunked, chunked', '', '0', '', ''],
    'unknown_transfer_coding',
  ),
  refused(
    'a coding alone that is not chunked',
    ['POST / HTTP/1.1', 'transfer-encoding: br', '', '', ''],
    'unknown_transfer_coding',
  ),
  refused('identity', ['POST / HTTP/1.1', 'transfer-encoding: identity', '', '', ''], 'unknown_transfer_coding'),
  refused('an empty coding', ['POST / HTTP/1.1', 'transfer-encoding:', '', '', ''], 'unknown_transfer_coding'),
  refused(
    'chunked with a parameter',
    ['POST / HTTP/1.1', 'transfer-encoding: chunked;a=b', '', '0', '', ''],
    'unknown_transfer_coding',
  ),
  refused(
    'chunked with a tab before it',
    ['POST / HTTP/1.1', 'transfer-encoding:\tchunked', '', '0', '', ''],
    'unknown_transfer_coding',
  ),
  refused(
    'chunked in quotes',
    ['POST / HTTP/1.1', 'transfer-encoding: "chunked"', '', '0', '', ''],
    'unknown_transfer_coding',
  ),
  refused(
    'chunked in HTTP/1.0',
    ['POST / HTTP/1.0', 'transfer-encoding: chunked', '', '0', '', ''],
    'coding_in_http_1_0',
  ),
];

const connections: readonly Http1Row[] = [
  crlf(
    'two requests, one behind the other',
    ['GET /1 HTTP/1.1', '', 'GET /2 HTTP/1.1', '', ''],
    ['GET /1 1.1', 'GET /2 1.1'],
    'between',
  ),
  crlf(
    'a request directly behind content',
    ['PUT /1 HTTP/1.1', 'content-length: 2', '', 'okGET /2 HTTP/1.1', '', ''],
    ['PUT /1 1.1 [content-length: 2] "ok"', 'GET /2 1.1'],
    'between',
  ),
  crlf(
    'a request directly behind chunks',
    [...chunked, '0', '', 'GET /2 HTTP/1.1', '', ''],
    [chunkedHead, 'GET /2 1.1'],
    'between',
  ),
  crlf(
    'nothing behind close',
    ['GET /1 HTTP/1.1', 'connection: close', '', 'GET /2 HTTP/1.1', '', ''],
    ['GET /1 1.1 [connection: close]'],
    'closed',
  ),
  crlf(
    'close among other options',
    ['GET /1 HTTP/1.1', 'connection: x, CLOSE', '', 'GET /2 HTTP/1.1', '', ''],
    ['GET /1 1.1 [connection: x, CLOSE]'],
    'closed',
  ),
  crlf(
    'an option that only begins with close',
    ['GET /1 HTTP/1.1', 'connection: closed', '', ''],
    ['GET /1 1.1 [connection: closed]'],
    'between',
  ),
  crlf(
    'HTTP/1.0 with keep-alive',
    ['GET /1 HTTP/1.0', 'connection: keep-alive', '', 'GET /2 HTTP/1.0', '', ''],
    ['GET /1 1.0 [connection: keep-alive]', 'GET /2 1.0'],
    'closed',
  ),
  crlf(
    'an upgrade',
    ['GET /ws HTTP/1.1', 'connection: upgrade', 'upgrade: websocket', '', '\x81\x00'],
    ['GET /ws 1.1 [connection: upgrade; upgrade: websocket]'],
    'tunnel',
  ),
  crlf(
    'an upgrade that Connection does not name',
    ['GET /ws HTTP/1.1', 'upgrade: websocket', '', ''],
    ['GET /ws 1.1 [upgrade: websocket]'],
    'between',
  ),
  crlf(
    'a second request that is refused',
    ['GET /1 HTTP/1.1', '', 'GET /2 HTTP/3.0', '', ''],
    ['GET /1 1.1'],
    'unsupported_version',
  ),
];

/** All of them, for a reader of requests. */
export const requestRows: readonly Http1Row[] = [
  ...targets,
  ...refusedRequestLines,
  ...fields,
  ...refusedFields,
  ...lengths,
  ...chunks,
  ...codings,
  ...connections,
];

/** All of them, for a reader of responses. */
export const responseRows: readonly Http1Row[] = [
  crlf(
    'content of a length',
    ['HTTP/1.1 200 Fine', 'content-length: 2', '', 'ok'],
    ['200 Fine 1.1 [content-length: 2] "ok"'],
    'between',
  ),
  crlf(
    'content up to the end of the connection',
    ['HTTP/1.1 200 OK', '', 'all of', 'it'],
    ['200 OK 1.1 "all of\\r\\nit"...'],
    'within',
  ),
  crlf(
    'chunks',
    ['HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '2', 'ok', '0', 'sum: 1', '', ''],
    ['200 OK 1.1 [transfer-encoding: chunked] "ok" {sum: 1}'],
    'between',
  ),
  crlf('an empty reason', ['HTTP/1.1 204 ', '', ''], ['204  1.1'], 'between'),
  crlf(
    'a reason of several words',
    ['HTTP/1.1 299 Lamp is  on', 'content-length: 0', '', ''],
    ['299 Lamp is  on 1.1 [content-length: 0]'],
    'between',
  ),
  crlf(
    'a reason with octets above 127',
    ['HTTP/1.1 200 \xe9t\xe9', 'content-length: 0', '', ''],
    ['200 \xe9t\xe9 1.1 [content-length: 0]'],
    'between',
  ),
  crlf(
    'a 204 without content, whatever its length says',
    ['HTTP/1.1 204 None', 'content-length: 7', '', 'HTTP/1.1 204 None', '', ''],
    ['204 None 1.1 [content-length: 7]', '204 None 1.1'],
    'between',
  ),
  crlf(
    'a 304 with the length of what it stands for',
    ['HTTP/1.1 304 Same', 'content-length: 7', '', ''],
    ['304 Same 1.1 [content-length: 7]'],
    'between',
  ),
  crlf(
    'an interim response before the final one',
    ['HTTP/1.1 103 Hints', 'link: </a>', '', 'HTTP/1.1 200 OK', 'content-length: 1', '', 'x'],
    ['103 Hints 1.1 [link: </a>]', '200 OK 1.1 [content-length: 1] "x"'],
    'between',
  ),
  crlf(
    'a switch of protocols',
    ['HTTP/1.1 101 Switching', 'upgrade: lamp', 'connection: upgrade', '', 'raw'],
    ['101 Switching 1.1 [upgrade: lamp; connection: upgrade]'],
    'tunnel',
  ),
  crlf(
    'HTTP/1.0, whose connection ends',
    ['HTTP/1.0 200 OK', 'content-length: 1', '', 'x'],
    ['200 OK 1.0 [content-length: 1] "x"'],
    'closed',
  ),
  crlf(
    'close',
    ['HTTP/1.1 200 OK', 'connection: close', 'content-length: 1', '', 'x'],
    ['200 OK 1.1 [connection: close; content-length: 1] "x"'],
    'closed',
  ),
  crlf(
    'two responses, one behind the other',
    ['HTTP/1.1 200 A', 'content-length: 1', '', 'xHTTP/1.1 200 B', 'content-length: 0', '', ''],
    ['200 A 1.1 [content-length: 1] "x"', '200 B 1.1 [content-length: 0]'],
    'between',
  ),
  crlf(
    'a length that is not reached',
    ['HTTP/1.1 200 OK', 'content-length: 3', '', 'x'],
    ['200 OK 1.1 [content-length: 3] "x"...'],
    'within',
  ),
  refused('a status of two digits', ['HTTP/1.1 99 Low', '', ''], 'invalid_status'),
  refused('a status of four digits', ['HTTP/1.1 2000 High', '', ''], 'invalid_status'),
  refused('a status with a letter', ['HTTP/1.1 2O0 OK', '', ''], 'invalid_status'),
  refused('a status below 100', ['HTTP/1.1 042 OK', '', ''], 'invalid_status'),
  refused('two spaces before the status', ['HTTP/1.1  200 OK', '', ''], 'invalid_status'),
  refused('a control in the reason', ['HTTP/1.1 200 O\x0cK', '', ''], 'invalid_reason'),
  refused('a NUL in the reason', ['HTTP/1.1 200 O\0K', '', ''], 'invalid_reason'),
  refused('another version', ['HTTP/1.2 200 OK', '', ''], 'unsupported_version'),
  refused('a version of another protocol', ['RTSP/1.0 200 OK', '', ''], 'invalid_version'),
  refused('an empty line before a response', ['', 'HTTP/1.1 200 OK', '', ''], 'invalid_version'),
  refused('a request', ['GET / HTTP/1.1', '', ''], 'invalid_version'),
  raw('line feeds alone', ['HTTP/1.1 200 OK\ncontent-length: 0\n\n'], [], 'invalid_line_end'),
  refused('a folded value', ['HTTP/1.1 200 OK', 'a: b', ' c', '', ''], 'obsolete_fold'),
  refused('a space before the colon', ['HTTP/1.1 200 OK', 'a : b', '', ''], 'invalid_field_name'),
  refused('a value with a NUL', ['HTTP/1.1 200 OK', 'a: \0', '', ''], 'invalid_field_value'),
  refused(
    'two lengths',
    ['HTTP/1.1 200 OK', 'content-length: 1', 'content-length: 1', '', 'x'],
    'repeated_content_length',
  ),
  refused(
    'a length beside a coding',
    ['HTTP/1.1 200 OK', 'content-length: 1', 'transfer-encoding: chunked', '', '0', '', ''],
    'length_and_coding',
  ),
  refused(
    'a coding before chunked',
    ['HTTP/1.1 200 OK', 'transfer-encoding: gzip, chunked', '', '0', '', ''],
    'unknown_transfer_coding',
  ),
  refused(
    'chunked in HTTP/1.0',
    ['HTTP/1.0 200 OK', 'transfer-encoding: chunked', '', '0', '', ''],
    'coding_in_http_1_0',
  ),
  refused(
    'a coding of a status without content',
    ['HTTP/1.1 204 None', 'transfer-encoding: chunked', '', '0', '', ''],
    'coding_without_content',
  ),
  refused(
    'an interim response that closes',
    ['HTTP/1.1 103 Hints', 'connection: close', '', ''],
    'closing_interim_response',
  ),
];
