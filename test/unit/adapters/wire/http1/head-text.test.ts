import { describe, expect, it, vi } from 'vitest';
import {
  chunkEnd,
  chunkStart,
  fieldLines,
  lastChunk,
  requestHeadText,
  responseHeadText,
  UnwritableHeadError,
} from '../../../../../src/adapters/wire/http1/head-text.js';

const everyCharacter = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code));
const writable = (write: (character: string) => string): string[] =>
  everyCharacter.filter((character) => {
    try {
      write(character);
      return true;
    } catch (error) {
      if (error instanceof UnwritableHeadError) return false;
      throw error;
    }
  });

const tokenText = "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~";

describe('heads as text', () => {
  it('are written as RFC 9112 has them', () => {
    expect(requestHeadText('GET', '/a?b', ['Host', 'a', 'X-Empty', ''])).toBe(
      'GET /a?b HTTP/1.1\r\nHost: a\r\nX-Empty: \r\n',
    );
    expect(responseHeadText(404, ['Content-Length', '0'])).toBe('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n');
    expect(responseHeadText(299, [])).toBe('HTTP/1.1 299 \r\n');
    expect(fieldLines([])).toBe('');
  });

  it('have methods, targets, names and values of the grammar, and no others', () => {
    const visible = everyCharacter.slice(0x21, 0x7f);
    expect(writable((character) => requestHeadText(`G${character}T`, '/', [])).join('')).toBe(tokenText);
    expect(writable((character) => requestHeadText('GET', `/${character}`, []))).toEqual(visible);
    expect(writable((character) => fieldLines([`a${character}`, 'b'])).join('')).toBe(tokenText);
    expect(writable((character) => fieldLines(['a', `b${character}c`]))).toEqual([
      '\t',
      ...everyCharacter.slice(0x20, 0x7f),
      ...everyCharacter.slice(0x80, 0x100),
    ]);
  });

  it('take nothing for a method, a target or a name that is empty', () => {
    expect(() => requestHeadText('', '/', [])).toThrow(UnwritableHeadError);
    expect(() => requestHeadText('GET', '', [])).toThrow(UnwritableHeadError);
    expect(() => fieldLines(['', 'b'])).toThrow(UnwritableHeadError);
  });

  it('check a name again that was refused, and one that was written', () => {
    for (let time = 0; time < 2; time += 1) {
      expect(() => fieldLines(['X-Bad Name', 'b'])).toThrow('the field name cannot be written');
      expect(fieldLines(['X-Good-Name', 'b'])).toBe('X-Good-Name: b\r\n');
    }
  });

  it('have no name that is empty before any was written', async () => {
    vi.resetModules();
    const fresh = await import('../../../../../src/adapters/wire/http1/head-text.js');
    expect(() => fresh.fieldLines(['', 'b'])).toThrow('the field name cannot be written');
  });

  it('tell names apart that differ in the middle, however often one of them was written', () => {
    for (let time = 0; time < 2; time += 1) {
      expect(fieldLines(['X-Name', 'b'])).toBe('X-Name: b\r\n');
      expect(fieldLines(['X_Name', 'b'])).toBe('X_Name: b\r\n');
      for (const name of ['X:Name', 'X Name', 'X-N\rme', 'X-N\u0161me'])
        expect(() => fieldLines([name, 'b'])).toThrow('the field name cannot be written');
    }
  });

  it('say nothing of the value that cannot be written', () => {
    expect(() => fieldLines(['Authorization', 'secret\r\n'])).toThrow(/^the field value cannot be written$/);
  });

  it.each([0, 99, 1_000, 200.5, Number.NaN, -200])('have no status %d', (status) => {
    expect(() => responseHeadText(status, [])).toThrow(UnwritableHeadError);
  });
});

describe('chunks as text', () => {
  it('have their size in hexadecimal digits', () => {
    expect([chunkStart(1), chunkStart(255), chunkStart(65_536), chunkEnd]).toEqual([
      '1\r\n',
      'ff\r\n',
      '10000\r\n',
      '\r\n',
    ]);
  });

  it.each([0, -1, 1.5, Number.NaN])('have no size of %d', (size) => {
    expect(() => chunkStart(size)).toThrow('the chunk size cannot be written');
  });

  it('end with the last chunk and the trailer fields', () => {
    expect(lastChunk([])).toBe('0\r\n\r\n');
    expect(lastChunk(['A', 'b', 'C', ''])).toBe('0\r\nA: b\r\nC: \r\n\r\n');
    expect(() => lastChunk(['A', 'b\r\n'])).toThrow(UnwritableHeadError);
  });
});
