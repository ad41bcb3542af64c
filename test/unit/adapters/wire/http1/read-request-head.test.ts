import { describe, expect, it } from 'vitest';
import { faultOf } from '../../../../../src/adapters/wire/http1/head-fault.js';
import { fieldList } from '../../../../../src/adapters/wire/http1/message-head.js';
import { readRequestHead, requestHead } from '../../../../../src/adapters/wire/http1/read-head.js';
import { octetsOf } from '../../../../support/gateway/http1-stream.js';

/** Octets of the head, `incomplete`, or the fault. */
const read = (text: string, maxOctets = 65_536): number | string => {
  const octets = octetsOf(text);
  const reading = readRequestHead(octets, 0, octets.length, maxOctets);
  if (reading === 0) return 'incomplete';
  return reading > 0 ? reading : faultOf(reading);
};

const withFields = (...lines: string[]): string =>
  `GET / HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const withFieldsOf10 = (...lines: string[]): string => withFields(...lines).replace('HTTP/1.1', 'HTTP/1.0');

/** Octets, by what they may be part of. */
const everyOctet = Array.from({ length: 256 }, (_, code) => code);
const tokenText = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const isTokenOctet = (code: number): boolean => tokenText.includes(String.fromCharCode(code));
const taken = (codes: readonly number[], text: (octet: string) => string): number[] =>
  codes.filter((code) => typeof read(text(String.fromCharCode(code))) === 'number');

describe('readRequestHead', () => {
  it('finds the parts of a head', () => {
    const text =
      'POST /a?b HTTP/1.1\r\nHost: a.example\r\nContent-Length: 12\r\nX-Empty:\r\nX-Blank: \t \r\nx-b:c  d \t\r\n\r\n';
    expect(read(`${text}body`)).toBe(text.length);
    expect(text.slice(0, requestHead.methodEnd)).toBe('POST');
    expect(text.slice(requestHead.targetStart, requestHead.targetEnd)).toBe('/a?b');
    expect([requestHead.minorVersion, requestHead.contentLength, requestHead.isChunked]).toEqual([1, 12, false]);
    expect(fieldList(text, requestHead)).toEqual([
      'Host',
      'a.example',
      'Content-Length',
      '12',
      'X-Empty',
      '',
      'X-Blank',
      '',
      'x-b',
      'c  d',
    ]);
  });

  it('counts places from behind empty lines', () => {
    const text = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n';
    expect(read(`\r\n\r\n${text}`)).toBe(text.length + 4);
    expect(requestHead.emptyOctets).toBe(4);
    expect(text.slice(requestHead.targetStart, requestHead.targetEnd)).toBe('/x');
    expect(fieldList(text, requestHead)).toEqual(['Host', 'a']);
  });

  it('reads a head that begins and ends within the octets', () => {
    const text = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n';
    const octets = octetsOf(`zzz${text}zzz`);
    expect(readRequestHead(octets, 3, octets.length, 65_536)).toBe(text.length);
    expect(fieldList(text, requestHead)).toEqual(['Host', 'a']);
    // Not an octet behind the end is looked at.
    expect(readRequestHead(octets, 3, 3 + text.length - 1, 65_536)).toBe(0);
  });

  it('forgets the head before', () => {
    read(withFieldsOf10('Host: a', 'Connection: close, keep-alive, upgrade', 'Content-Length: 3'));
    read(withFields('Upgrade: websocket', 'Expect: 100-continue', 'Transfer-Encoding: chunked'));
    read(withFields());
    expect(requestHead).toMatchObject({
      fieldCount: 0,
      minorVersion: 1,
      contentLength: -1,
      isChunked: false,
      hostField: -1,
      lengthField: -1,
      saysClose: false,
      saysKeepAlive: false,
      saysUpgrade: false,
      hasUpgrade: false,
      namesWebSocket: false,
      expectsContinue: false,
      isPersistent: true,
    });
    expect(read('(')).toBe('invalid_method');
    expect(requestHead).toMatchObject({ methodEnd: 0, targetStart: 0, targetEnd: 0 });
  });

  it('has room for as many fields as a head can hold', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `a${index}`);
    const text = withFields(...names.map((name) => `${name}:${name}`));
    expect(read(text, text.length)).toBe(text.length);
    expect(fieldList(text, requestHead)).toEqual(names.flatMap((name) => [name, name]));
  });

  it('takes the methods, targets, names and values of the grammar, and no others', () => {
    const visible = everyOctet.filter((code) => code > 0x20 && code < 0x7f);
    const tokens = everyOctet.filter(isTokenOctet);
    expect(taken(everyOctet, (octet) => `G${octet}T / HTTP/1.1\r\n\r\n`)).toEqual(tokens);
    expect(taken(everyOctet, (octet) => `GET /${octet}x HTTP/1.1\r\n\r\n`)).toEqual(visible);
    // A colon ends the name.
    expect(taken(everyOctet, (octet) => withFields(`a${octet}b: c`))).toEqual([...tokens, 0x3a].sort((a, b) => a - b));
    expect(taken(everyOctet, (octet) => withFields(`a: b${octet}c`))).toEqual(
      everyOctet.filter((code) => code === 0x09 || (code >= 0x20 && code !== 0x7f)),
    );
  });

  it('knows the fields that it heeds by their whole name, in any case', () => {
    for (const name of ['Content-Length', 'content-length', 'CONTENT-LENGTH', 'cOnTeNt-LeNgTh']) {
      read(withFields(`${name}: 7`));
      expect([name, requestHead.contentLength]).toEqual([name, 7]);
    }
    const others = [
      'Content_Length',
      'Content-Lengt',
      'Content-Length2',
      'Content\x2dLengt\x48x',
      'Kontent-Length',
      'Content.Length',
    ];
    for (const name of others) {
      read(withFields(`${name}: 7`));
      expect([name, requestHead.contentLength]).toEqual([name, -1]);
    }
  });

  it.each<[string, number]>([
    ['0', 0],
    ['007', 7],
    ['010', 10],
    ['999999999999999', 999_999_999_999_999],
    ['  5  ', 5],
  ])('reads the Content-Length "%s"', (value, length) => {
    read(withFields(`Content-Length:${value}`));
    expect(requestHead.contentLength).toBe(length);
  });

  it.each(['chunked', 'Chunked', 'CHUNKED', '  chunked  '])('reads the Transfer-Encoding "%s"', (value) => {
    expect(typeof read(withFields(`Transfer-Encoding:${value}`))).toBe('number');
    expect(requestHead.isChunked).toBe(true);
  });

  it('takes an empty Host for one, and leaves it to others what it means', () => {
    expect(typeof read(withFields('Host:'))).toBe('number');
    expect(requestHead.hostField).toBe(0);
    expect(fieldList(withFields('Host:'), requestHead)).toEqual(['Host', '']);
  });

  it.each<[string, [close: boolean, keepAlive: boolean, upgrade: boolean]]>([
    ['', [false, false, false]],
    ['close', [true, false, false]],
    ['Close', [true, false, false]],
    ['closed', [false, false, false]],
    ['keep-alive, Upgrade', [false, true, true]],
    [',, ,close\t,', [true, false, false]],
    ['x,keep-alive,close', [true, true, false]],
    ['keep_alive', [false, false, false]],
  ])('reads the Connection options "%s"', (value, expected) => {
    expect(typeof read(withFields(`Connection: ${value}`))).toBe('number');
    expect([requestHead.saysClose, requestHead.saysKeepAlive, requestHead.saysUpgrade]).toEqual(expected);
  });

  it('reads the options of several Connection fields', () => {
    read(withFields('Connection: upgrade', 'Connection: close'));
    expect([requestHead.saysClose, requestHead.saysKeepAlive, requestHead.saysUpgrade]).toEqual([true, false, true]);
  });

  it.each<[string, string, boolean]>([
    ['HTTP/1.1', withFields(), true],
    ['HTTP/1.1 with close', withFields('Connection: close'), false],
    ['HTTP/1.1 with both', withFields('Connection: close, keep-alive'), false],
    ['HTTP/1.0', withFieldsOf10(), false],
    ['HTTP/1.0 with keep-alive', withFieldsOf10('Connection: keep-alive'), true],
    ['HTTP/1.0 with both', withFieldsOf10('Connection: keep-alive, close'), false],
  ])('knows whether %s persists', (_, text, expected) => {
    read(text);
    expect(requestHead.isPersistent).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['websocket', withFields('Upgrade: WebSocket'), true],
    ['h2c', withFields('Upgrade: h2c'), false],
    ['websocket and h2c', withFields('Upgrade: websocket, h2c'), false],
    ['websocket twice', withFields('Upgrade: websocket', 'Upgrade: websocket'), false],
    ['h2c, then websocket', withFields('Upgrade: h2c', 'Upgrade: websocket'), false],
    ['websocket in HTTP/1.0', withFieldsOf10('Upgrade: websocket'), false],
  ])('knows whether an upgrade to %s is one to websocket alone', (_, text, expected) => {
    read(text);
    expect([requestHead.hasUpgrade, requestHead.namesWebSocket]).toEqual([true, expected]);
  });

  it.each<[string, string, boolean]>([
    ['100-continue', withFields('Expect: 100-Continue'), true],
    ['something else', withFields('Expect: 200-ok'), false],
    ['both', withFields('Expect: 100-continue', 'Expect: x'), true],
    ['100-continue in HTTP/1.0', withFieldsOf10('Expect: 100-continue'), false],
  ])('knows whether %s expects a 100', (_, text, expected) => {
    read(text);
    expect(requestHead.expectsContinue).toBe(expected);
  });

  it('takes a head of as many octets as it may have, and no more', () => {
    const text = withFields('Host: a');
    expect(read(text, text.length)).toBe(text.length);
    expect(read(text, text.length - 1)).toBe('head_too_large');
    expect(read(`\r\n\r\n${text}`, text.length)).toBe(text.length + 4);
  });

  it('knows a first line that alone is too long', () => {
    const line = `GET /${'a'.repeat(100)} HTTP/1.1\r\n`;
    expect(read(line, line.length)).toBe('head_too_large');
    expect(read(line, line.length - 1)).toBe('first_line_too_long');
    expect(read(`G ${'/'.repeat(98)}`, 100)).toBe('first_line_too_long');
    expect(read('G'.repeat(100), 100)).toBe('method_too_long');
    expect(read('G'.repeat(99), 100)).toBe('incomplete');
    expect(read(`\r\n${'G'.repeat(100)}`, 100)).toBe('method_too_long');
  });

  it('finds a fault before it finds that the head is too long', () => {
    expect(read(`GET / HTTP/1.1\r\nA : b\r\n${'x'.repeat(100)}`, 50)).toBe('invalid_field_name');
  });

  it('waits for the rest of every beginning of a head', () => {
    const text = `\r\n\r\n${withFields('Host: a', 'B:', 'Connection: close')}`;
    for (let end = 0; end < text.length; end += 1) expect([end, read(text.slice(0, end))]).toEqual([end, 'incomplete']);
    expect(read(text)).toBe(text.length);
  });

  it('tells of empty lines before a head that has not come', () => {
    for (const [text, empty] of [
      ['\r\n\r\n', 4],
      ['\r\n\r', 2],
      ['\r\nGE', 2],
      ['\r', 0],
    ] as const) {
      expect(read(text)).toBe('incomplete');
      expect([text, requestHead.emptyOctets]).toEqual([text, empty]);
    }
  });
});
