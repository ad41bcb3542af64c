import { describe, expect, it } from 'vitest';
import { faultOf } from '../../../../../src/adapters/wire/http1/head-fault.js';
import { readRequestHead } from '../../../../../src/adapters/wire/http1/read-head.js';
import { octetsOf } from '../../../../support/gateway/http1-stream.js';

const read = (text: string): number | string => {
  const octets = octetsOf(text);
  const reading = readRequestHead(octets, 0, octets.length, 65_536);
  return reading < 0 ? faultOf(reading) : reading;
};

const withFields = (...lines: string[]): string =>
  `GET / HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const withFieldsOf10 = (...lines: string[]): string => withFields(...lines).replace('HTTP/1.1', 'HTTP/1.0');

describe('readRequestHead', () => {
  it.each<[string, string, string]>([
    ['nothing before the target', ' / HTTP/1.1\r\n\r\n', 'invalid_method'],
    ['a method that is no token', 'G(T / HTTP/1.1\r\n\r\n', 'invalid_method'],
    ['a tab behind the method', 'GET\t/ HTTP/1.1\r\n\r\n', 'invalid_method'],
    ['a line feed before it', '\nGET / HTTP/1.1\r\n\r\n', 'invalid_method'],
    ['a carriage return before it', '\rGET / HTTP/1.1\r\n\r\n', 'invalid_line_end'],
    ['a line without target', 'GET\r\n\r\n', 'invalid_method'],
    ['the first octets of a TLS handshake', '\x16\x03\x01\x02', 'invalid_method'],
    ['no target', 'GET  HTTP/1.1\r\n\r\n', 'invalid_target'],
    ['two spaces before the target', 'GET  / HTTP/1.1\r\n\r\n', 'invalid_target'],
    ['a tab behind the target', 'GET /\tHTTP/1.1\r\n\r\n', 'invalid_target'],
    ['NUL in the target', 'GET /\0 HTTP/1.1\r\n\r\n', 'invalid_target'],
    ['an octet beyond ASCII in the target', 'GET /\xe4 HTTP/1.1\r\n\r\n', 'invalid_target'],
    ['two targets', 'GET / / HTTP/1.1\r\n\r\n', 'invalid_version'],
    ['two spaces before the version', 'GET /  HTTP/1.1\r\n\r\n', 'invalid_version'],
    ['HTTP/0.9', 'GET /\r\n', 'invalid_version'],
    ['HTTP/0.9 with a bare line feed', 'GET /\n', 'invalid_version'],
    ['a version in lower case', 'GET / http/1.1\r\n\r\n', 'invalid_version'],
    ['a version without minor one', 'GET / HTTP/1\r\n\r\n', 'invalid_version'],
    ['a version of more digits', 'GET / HTTP/1.10\r\n\r\n', 'invalid_version'],
    ['a version with a comma', 'GET / HTTP/1,1\r\n\r\n', 'invalid_version'],
    ['a version with a letter', 'GET / HTTP/1.x\r\n\r\n', 'invalid_version'],
    ['a space behind the version', 'GET / HTTP/1.1 \r\n\r\n', 'invalid_version'],
    ['HTTP/2.0', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'unsupported_version'],
    ['HTTP/1.2', 'GET / HTTP/1.2\r\n\r\n', 'unsupported_version'],
    ['HTTP/0.9 by name', 'GET / HTTP/0.9\r\n\r\n', 'unsupported_version'],
    ['a bare line feed behind the first line', 'GET / HTTP/1.1\nHost: a\r\n\r\n', 'invalid_line_end'],
    ['a bare carriage return behind the first line', 'GET / HTTP/1.1\rHost: a\r\n\r\n', 'invalid_line_end'],
    ['a bare line feed behind a field', withFields('A: b\nC: d'), 'invalid_line_end'],
    ['a bare carriage return behind a field', withFields('A: b\rC: d'), 'invalid_line_end'],
    ['two carriage returns behind a field', withFields('A: b\r'), 'invalid_line_end'],
    ['a bare line feed as the empty line', 'GET / HTTP/1.1\r\nA: b\r\n\n', 'invalid_line_end'],
    ['a bare carriage return as the empty line', 'GET / HTTP/1.1\r\nA: b\r\n\rx', 'invalid_line_end'],
    ['a space before the first field', withFields(' A: b'), 'obsolete_fold'],
    ['a folded line', withFields('A: b', ' c'), 'obsolete_fold'],
    ['a line folded with a tab', withFields('A: b', '\tc'), 'obsolete_fold'],
    ['a folded line of nothing', withFields('A: b', ' '), 'obsolete_fold'],
    ['a space before the colon', withFields('A : b'), 'invalid_field_name'],
    ['a tab before the colon', withFields('A\t: b'), 'invalid_field_name'],
    ['no colon', withFields('A'), 'invalid_field_name'],
    ['no name', withFields(': b'), 'invalid_field_name'],
    ['NUL in a name', withFields('A\0: b'), 'invalid_field_name'],
    ['NUL in a value', withFields('A: b\0'), 'invalid_field_value'],
    ['DEL in a value', withFields('A: b\x7f'), 'invalid_field_value'],
    ['a form feed in a value', withFields('A: \fb'), 'invalid_field_value'],
    ['two Hosts', withFields('Host: a', 'Host: b'), 'repeated_host'],
    ['two equal Hosts', withFields('Host: a', 'host: a'), 'repeated_host'],
    ['two empty Hosts', withFields('Host:', 'Host:'), 'repeated_host'],
    ['an empty Content-Length', withFields('Content-Length: '), 'invalid_content_length'],
    ['a negative one', withFields('Content-Length: -1'), 'invalid_content_length'],
    ['one with a sign', withFields('Content-Length: +1'), 'invalid_content_length'],
    ['a hexadecimal one', withFields('Content-Length: 0x1'), 'invalid_content_length'],
    ['one with a blank in it', withFields('Content-Length: 1 2'), 'invalid_content_length'],
    ['one with a fraction', withFields('Content-Length: 1.0'), 'invalid_content_length'],
    ['one with an exponent', withFields('Content-Length: 1e3'), 'invalid_content_length'],
    ['one behind a tab', withFields('Content-Length:\t1'), 'invalid_content_length'],
    ['one behind a space and a tab', withFields('Content-Length: \t1'), 'invalid_content_length'],
    ['one before a tab', withFields('Content-Length: 1\t'), 'invalid_content_length'],
    ['a coding behind a tab', withFields('Transfer-Encoding:\tchunked'), 'unknown_transfer_coding'],
    ['a coding before a tab', withFields('Transfer-Encoding: chunked \t '), 'unknown_transfer_coding'],
    ['a list of equal ones', withFields('Content-Length: 5, 5'), 'invalid_content_length'],
    ['one that cannot be counted', withFields('Content-Length: 1000000000000000'), 'invalid_content_length'],
    ['one that overflows 64 bits', withFields('Content-Length: 18446744073709551621'), 'invalid_content_length'],
    ['two of them', withFields('Content-Length: 5', 'Content-Length: 6'), 'repeated_content_length'],
    ['two equal ones', withFields('Content-Length: 5', 'content-length: 5'), 'repeated_content_length'],
    ['two of 0', withFields('Content-Length: 0', 'Content-Length: 0'), 'repeated_content_length'],
    ['an empty Transfer-Encoding', withFields('Transfer-Encoding:'), 'unknown_transfer_coding'],
    ['identity', withFields('Transfer-Encoding: identity'), 'unknown_transfer_coding'],
    ['gzip and chunked', withFields('Transfer-Encoding: gzip, chunked'), 'unknown_transfer_coding'],
    ['chunked twice', withFields('Transfer-Encoding: chunked, chunked'), 'unknown_transfer_coding'],
    ['chunked and an empty member', withFields('Transfer-Encoding: chunked,'), 'unknown_transfer_coding'],
    ['chunked with a parameter', withFields('Transfer-Encoding: chunked;q=1'), 'unknown_transfer_coding'],
    ['chunked in quotes', withFields('Transfer-Encoding: "chunked"'), 'unknown_transfer_coding'],
    ['chunked behind a vertical tab', withFields('Transfer-Encoding: \x0bchunked'), 'invalid_field_value'],
    ['chunked with a Kelvin sign', withFields('Transfer-Encoding: chun\xe2\x84\xaaed'), 'unknown_transfer_coding'],
    [
      'two Transfer-Encodings',
      withFields('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
      'repeated_transfer_encoding',
    ],
    ['a length, then a coding', withFields('Content-Length: 5', 'Transfer-Encoding: chunked'), 'length_and_coding'],
    ['a coding, then a length', withFields('Transfer-Encoding: chunked', 'Content-Length: 0'), 'length_and_coding'],
    ['a coding in HTTP/1.0', withFieldsOf10('Transfer-Encoding: chunked'), 'coding_in_http_1_0'],
    ['an option in quotes', withFields('Connection: "close"'), 'invalid_connection'],
    ['two options without a comma', withFields('Connection: keep-alive close'), 'invalid_connection'],
    ['an option with a parameter', withFields('Connection: close;x'), 'invalid_connection'],
    ['an option beyond ASCII', withFields('Connection: close, \xe4'), 'invalid_connection'],
  ])('refuses %s', (_, text, fault) => {
    expect(read(text)).toBe(fault);
  });
});
