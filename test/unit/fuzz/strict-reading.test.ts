import { describe, expect, it } from 'vitest';
import { strictRequests, strictResponses } from '../../../fuzz/recorder/strict-reading.js';

const post = (fields: string, rest = ''): string => `POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n${rest}`;

describe('what is read strictly', () => {
  it('is a sequence of requests, each with its own octets', () => {
    const text = `GET /a HTTP/1.1\r\nHost: a\r\n\r\n${post('Content-Length: 5\r\n', 'hello')}${post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\nX: y\r\n\r\n')}`;
    const { messages, fault, rest } = strictRequests(text);
    expect([fault, rest]).toEqual([null, '']);
    expect(messages.map(({ line, body, trailers }) => [line, body, trailers])).toEqual([
      ['GET /a HTTP/1.1', '', []],
      ['POST / HTTP/1.1', 'hello', []],
      ['POST / HTTP/1.1', 'hello', [['x', 'y']]],
    ]);
    expect(messages.at(-1)?.end).toBe(text.length);
  });

  it.each([
    ['a body', post('Content-Length: 5\r\n', 'hell')],
    ['a chunk size', post('Transfer-Encoding: chunked\r\n', '5')],
    ['a chunk', post('Transfer-Encoding: chunked\r\n', '5\r\nhel')],
    ['the end of a chunk', post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r')],
    ['a trailer section', post('Transfer-Encoding: chunked\r\n', '0\r\nX: y\r\n')],
  ])('is incomplete inside %s', (_, text) => {
    const { messages, fault } = strictRequests(text);
    expect([messages.length, messages[0]?.isComplete, fault]).toEqual([1, false, null]);
  });

  it.each([
    ['length and coding', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')],
    ['two lengths', post('Content-Length: 5\r\nContent-Length: 5\r\n')],
    ['a length with a sign', post('Content-Length: +5\r\n')],
    ['an unknown coding', post('Transfer-Encoding: xchunked\r\n')],
    ['a coding in HTTP/1.0', 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a bare LF', 'GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n'],
    ['a fold', post('X: y\r\n z\r\n')],
    ['a NUL', post('X: \0\r\n')],
    ['a space before a colon', post('X : y\r\n')],
    ['two Hosts', post('Host: b\r\n')],
    ['another version', 'GET / HTTP/2.0\r\n\r\n'],
    ['a chunk extension that is none', post('Transfer-Encoding: chunked\r\n', '5;\r\nhello\r\n0\r\n\r\n')],
    ['a quoted line end', post('Transfer-Encoding: chunked\r\n', '5;a="\r\nhello\r\n0\r\n\r\n')],
    ['a long extension', post('Transfer-Encoding: chunked\r\n', `5;${'a'.repeat(256)}\r\nhello\r\n0\r\n\r\n`)],
    ['a chunk that is too long', post('Transfer-Encoding: chunked\r\n', '5\r\nhello!\r\n0\r\n\r\n')],
  ])('is faulty with %s', (_, text) => {
    expect(strictRequests(text).fault).not.toBeNull();
  });

  it.each([
    [false, '5'],
    [true, '5 ;a="b;\\"" ; c = d'],
  ])('tells of chunk extensions: %s', (hasExtensions, size) => {
    const { messages, fault } = strictRequests(post('Transfer-Encoding: chunked\r\n', `${size}\r\nhello\r\n0\r\n\r\n`));
    expect([fault, messages[0]?.body, messages[0]?.hasExtensions]).toEqual([null, 'hello', hasExtensions]);
  });

  it('leaves the begin of a head over', () => {
    expect(strictRequests('GET / HTTP/1.1\r\nHo')).toEqual({ messages: [], fault: null, rest: 'GET / HTTP/1.1\r\nHo' });
  });

  it('is one response to each request, without the interim ones', () => {
    const text =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200\r\n\r\nto the end';
    const { messages, fault } = strictResponses(text, ['HEAD', 'GET']);
    expect(fault).toBeNull();
    expect(messages.map(({ status, body, endsWithConnection }) => [status, body, endsWithConnection])).toEqual([
      [200, '', false],
      [200, 'to the end', true],
    ]);
  });
});
