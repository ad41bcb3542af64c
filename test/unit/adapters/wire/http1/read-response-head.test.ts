import { describe, expect, it } from 'vitest';
import { faultOf } from '../../../../../src/adapters/wire/http1/head-fault.js';
import { fieldList } from '../../../../../src/adapters/wire/http1/message-head.js';
import { readResponseHead, responseFraming, responseHead } from '../../../../../src/adapters/wire/http1/read-head.js';
import { octetsOf } from '../../../../support/gateway/http1-stream.js';

/** Octets of the head, `incomplete`, or the fault. */
const read = (text: string, maxOctets = 65_536): number | string => {
  const octets = octetsOf(text);
  const reading = readResponseHead(octets, 0, octets.length, maxOctets);
  if (reading === 0) return 'incomplete';
  return reading > 0 ? reading : faultOf(reading);
};

const ofStatus = (status: number, ...lines: string[]): string =>
  `HTTP/1.1 ${status} X\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

describe('readResponseHead', () => {
  it('finds the parts of a head', () => {
    const text = 'HTTP/1.0 404 Not \xe4 Found\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n';
    expect(read(`${text}hello`)).toBe(text.length);
    expect(text.slice(responseHead.reasonStart, responseHead.reasonEnd)).toBe('Not \xe4 Found');
    expect(responseHead).toMatchObject({ status: 404, minorVersion: 0, contentLength: 5, isPersistent: true });
    expect(fieldList(text, responseHead)).toEqual(['Content-Length', '5', 'Connection', 'keep-alive']);
  });

  it.each(['HTTP/1.1 200 \r\n\r\n', 'HTTP/1.1 200\r\n\r\n'])('takes one without a reason: %j', (text) => {
    expect(read(text)).toBe(text.length);
    expect([responseHead.status, responseHead.reasonStart]).toEqual([200, responseHead.reasonEnd]);
  });

  it('forgets the head before', () => {
    read('HTTP/1.0 404 Not Found\r\nContent-Length: 5\r\n\r\n');
    expect(read('x')).toBe('invalid_version');
    expect(responseHead).toMatchObject({ status: 0, reasonStart: 0, reasonEnd: 0, contentLength: -1, minorVersion: 0 });
  });

  it.each<[string, string, string]>([
    ['an empty line before it', '\r\nHTTP/1.1 200 OK\r\n\r\n', 'invalid_version'],
    ['something behind the response before', 'x', 'invalid_version'],
    ['another protocol', 'ICY 200 OK\r\n\r\n', 'invalid_version'],
    ['a version in lower case', 'http/1.1 200 OK\r\n\r\n', 'invalid_version'],
    ['HTTP/2.0', 'HTTP/2.0 200 OK\r\n\r\n', 'unsupported_version'],
    ['HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n', 'unsupported_version'],
    ['no status', 'HTTP/1.1  OK\r\n\r\n', 'invalid_status'],
    ['two spaces before the status', 'HTTP/1.1  200 OK\r\n\r\n', 'invalid_status'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'invalid_status'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n', 'invalid_status'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n', 'invalid_status'],
    ['a status with a letter', 'HTTP/1.1 2x0 OK\r\n\r\n', 'invalid_status'],
    ['a tab behind the status', 'HTTP/1.1 200\tOK\r\n\r\n', 'invalid_status'],
    ['a bare line feed behind the status', 'HTTP/1.1 200\n\r\n', 'invalid_line_end'],
    ['a bare line feed behind the reason', 'HTTP/1.1 200 OK\n\r\n', 'invalid_line_end'],
    ['a bare carriage return in the reason', 'HTTP/1.1 200 O\rK\r\n\r\n', 'invalid_line_end'],
    ['NUL in the reason', 'HTTP/1.1 200 O\0K\r\n\r\n', 'invalid_reason'],
    ['a folded line', ofStatus(200, 'A: b', ' c'), 'obsolete_fold'],
    ['a space before the colon', ofStatus(200, 'A : b'), 'invalid_field_name'],
    ['a length and a coding', ofStatus(200, 'Content-Length: 5', 'Transfer-Encoding: chunked'), 'length_and_coding'],
    ['two lengths', ofStatus(200, 'Content-Length: 5', 'Content-Length: 5'), 'repeated_content_length'],
    ['another coding', ofStatus(200, 'Transfer-Encoding: gzip'), 'unknown_transfer_coding'],
    ['a coding in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', 'coding_in_http_1_0'],
    ['a coding of a 100', ofStatus(100, 'Transfer-Encoding: chunked'), 'coding_without_content'],
    ['a coding of a 101', ofStatus(101, 'Transfer-Encoding: chunked'), 'coding_without_content'],
    ['a 103 behind which nothing comes', ofStatus(103, 'Connection: close'), 'closing_interim_response'],
    ['a 102 of HTTP/1.0', 'HTTP/1.0 102 X\r\n\r\n', 'closing_interim_response'],
    ['a coding of a 204', ofStatus(204, 'Transfer-Encoding: chunked'), 'coding_without_content'],
    ['an option that is no token', ofStatus(200, 'Connection: close;'), 'invalid_connection'],
  ])('refuses %s', (_, text, fault) => {
    expect(read(text)).toBe(fault);
  });

  it('takes every status of three digits that is none below 100', () => {
    for (let status = 100; status < 1_000; status += 1) {
      expect(typeof read(ofStatus(status))).toBe('number');
      expect(responseHead.status).toBe(status);
    }
  });

  it('takes a head of as many octets as it may have, and no more', () => {
    const text = ofStatus(200, 'A: b');
    expect(read(text, text.length)).toBe(text.length);
    expect(read(text, text.length - 1)).toBe('head_too_large');
    expect(read(`HTTP/1.1 200 ${'a'.repeat(100)}`, 100)).toBe('first_line_too_long');
  });

  it('waits for the rest of every beginning of a head', () => {
    const text = ofStatus(200, 'A: b', 'Content-Length: 0');
    for (let end = 0; end < text.length; end += 1) expect([end, read(text.slice(0, end))]).toEqual([end, 'incomplete']);
  });
});

describe('responseFraming', () => {
  it.each<[string, string, boolean, string]>([
    ['a length', ofStatus(200, 'Content-Length: 5'), false, 'length'],
    ['a length of 0', ofStatus(200, 'Content-Length: 0'), false, 'none'],
    ['chunks', ofStatus(200, 'Transfer-Encoding: chunked'), false, 'chunked'],
    ['neither', ofStatus(200), false, 'close'],
    ['a length, asked by HEAD', ofStatus(200, 'Content-Length: 5'), true, 'none'],
    ['chunks, asked by HEAD', ofStatus(200, 'Transfer-Encoding: chunked'), true, 'none'],
    ['neither, asked by HEAD', ofStatus(200), true, 'none'],
    ['status 100', ofStatus(100), false, 'none'],
    ['status 103 and a length', ofStatus(103, 'Content-Length: 5'), false, 'none'],
    ['status 204 and a length', ofStatus(204, 'Content-Length: 5'), false, 'none'],
    ['status 205 and a length', ofStatus(205, 'Content-Length: 5'), false, 'length'],
    ['status 304 and a length', ofStatus(304, 'Content-Length: 5'), false, 'none'],
    ['status 304 and chunks', ofStatus(304, 'Transfer-Encoding: chunked'), false, 'none'],
  ])('of a response with %s', (_, text, isToHead, expected) => {
    expect(typeof read(text)).toBe('number');
    expect(responseFraming(responseHead, isToHead)).toBe(expected);
  });
});
