import { describe, expect, it } from 'vitest';
import { HeadBuffer } from '../../../../../src/adapters/wire/http1/head-buffer.js';
import { octetsOf, textOf } from '../../../../support/gateway/http1-stream.js';

const add = (buffer: HeadBuffer, text: string): void => buffer.add(octetsOf(text), 0, text.length);
const held = (buffer: HeadBuffer): string => textOf(buffer.octets, 0, buffer.length);

describe('HeadBuffer', () => {
  it('holds what comes, however much that is', () => {
    const buffer = new HeadBuffer();
    const pieces = ['', 'a', 'b'.repeat(1_023), 'c', 'd'.repeat(10_000), 'e'];
    for (const piece of pieces) add(buffer, piece);
    expect(held(buffer)).toBe(pieces.join(''));
  });

  it('takes a part of what it is given', () => {
    const buffer = new HeadBuffer();
    buffer.add(octetsOf('0123456789'), 3, 6);
    expect(held(buffer)).toBe('345');
  });

  it('is due when it is twice as long as it was', () => {
    const buffer = new HeadBuffer();
    add(buffer, 'GET');
    buffer.noteRead();
    add(buffer, ' /');
    expect(buffer.isDue).toBe(false);
    add(buffer, 'a');
    expect(buffer.isDue).toBe(true);
  });

  it.each<[string, string[]]>([
    ['in one piece', ['\r\n\r\n']],
    ['octet by octet', ['\r', '\n', '\r', '\n']],
    ['of bare line feeds', ['\n', '\n']],
    ['with carriage returns too many', ['\r\r\n\r\r\n']],
  ])('is due with an empty line %s', (_, pieces) => {
    const buffer = new HeadBuffer();
    add(buffer, 'GET / HTTP/1.1');
    buffer.noteRead();
    for (const piece of pieces) {
      expect(buffer.isDue).toBe(false);
      add(buffer, piece);
    }
    expect(buffer.isDue).toBe(true);
    buffer.noteRead();
    expect(buffer.isDue).toBe(false);
  });

  it('is not due with line ends that are no empty line, nor with empty lines before any text', () => {
    const buffer = new HeadBuffer();
    add(buffer, '\r\n\r\n');
    buffer.noteRead();
    add(buffer, '\r\n');
    expect(buffer.isDue).toBe(false);
    add(buffer, 'x');
    buffer.noteRead();
    for (const piece of ['\r\n', 'a', '\r\n', 'b']) {
      add(buffer, piece);
      expect(buffer.isDue).toBe(false);
    }
  });

  it('drops what nobody has to hold', () => {
    const buffer = new HeadBuffer();
    add(buffer, '\r\n\r\nGET');
    buffer.drop(4);
    buffer.drop(0);
    buffer.noteRead();
    expect(held(buffer)).toBe('GET');
    add(buffer, ' /');
    expect([held(buffer), buffer.isDue]).toEqual(['GET /', false]);
    buffer.drop(5);
    expect(buffer.length).toBe(0);
  });
});
