import { describe, expect, it } from 'vitest';
import { HeadLines, headLines } from '../../../../../src/adapters/wire/http1/head-lines.js';
import { fieldLines, requestHeadText, responseHeadText } from '../../../../../src/adapters/wire/http1/head-text.js';
import { fieldList } from '../../../../../src/adapters/wire/http1/message-head.js';
import { readRequestHead, requestHead } from '../../../../../src/adapters/wire/http1/read-head.js';
import { octetsOf } from '../../../../support/gateway/http1-stream.js';

const fieldsRead = (text: string): string[] | null =>
  readRequestHead(octetsOf(text), 0, text.length, 65_536) === text.length ? fieldList(text, requestHead) : null;

const linesOf = (text: string): HeadLines | null => {
  const fields = fieldsRead(text);
  return fields === null ? null : headLines(text, requestHead, requestHead.methodEnd, fields, 0);
};

const isWritable = (write: () => string): boolean => {
  try {
    write();
    return true;
  } catch {
    return false;
  }
};

/** Its text is not the one of its fields, which shows what is taken from it. */
const marked = new HeadLines(
  'GET / HTTP/1.1\r\n1: 1\r\n2: 2\r\n3: 3\r\n\r\n',
  3,
  16,
  ['A', 'a', 'B', 'b', 'C', 'c'],
  0,
);

describe('the lines of a head', () => {
  it.each(['A: b', 'A: ', 'A: b: c', 'A: b \t c', 'A: \xff'])(
    'are known where each is as it would be written: %j',
    (line) => {
      expect(linesOf(`GET /a HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`)).toMatchObject({ methodEnd: 3, start: 17 });
    },
  );

  it.each(['A:b', 'A:', 'A:\tb', 'A:  b', 'A: b ', 'A: b\t', 'A:  '])('are not known where one is not: %j', (line) => {
    expect(linesOf(`GET / HTTP/1.1\r\nHost: a\r\n${line}\r\nB: c\r\n\r\n`)).toBeNull();
    expect(linesOf('GET / HTTP/1.1\r\nHost: a\r\n\r\n')).not.toBeNull();
  });

  it('are none where there is no field', () => {
    expect(linesOf('GET / HTTP/1.0\r\n\r\n')).toBeNull();
  });
});

describe('fields that were received', () => {
  it('go out as they came, with the request line where that is the same', () => {
    expect(requestHeadText('GET', '/', ['A', 'a', 'B', 'b', 'C', 'c'], marked)).toBe(marked.text.slice(0, -2));
    expect(requestHeadText('PUT', '/', ['A', 'a', 'C', 'c'], marked)).toBe('PUT / HTTP/1.1\r\n1: 1\r\n3: 3\r\n');
    expect(responseHeadText(200, ['B', 'b'], marked)).toBe('HTTP/1.1 200 OK\r\n2: 2\r\n');
  });

  it('are written anew where name or value is another, or their order', () => {
    expect(requestHeadText('GET', '/', ['A', 'x', 'b', 'b', 'C', 'c', 'B', 'b'], marked)).toBe(
      'GET / HTTP/1.1\r\nA: x\r\nb: b\r\n3: 3\r\nB: b\r\n',
    );
  });

  it('are not looked for beyond a few lines', () => {
    const many = Array.from({ length: 100 }, (_, index) => [`N${index}`, '']).flat();
    const lines = new HeadLines(`GET / HTTP/1.1\r\n${fieldLines(many).toLowerCase()}\r\n`, 3, 16, many, 0);
    expect(requestHeadText('GET', '/', many.slice(2 * 16), lines)).toBe(
      'GET / HTTP/1.1\r\n'.concat(fieldLines(many.slice(2 * 16))),
    );
    expect(requestHeadText('GET', '/', many.slice(2 * 15), lines)).toContain('n15: ');
  });
});

describe('a value', () => {
  it('ends at the same octets wherever they stand in it', () => {
    for (let code = 0; code < 256; code += 1) {
      const octet = String.fromCharCode(code);
      const mayStand = isWritable(() => fieldLines(['a', octet]));
      for (let before = 1; before <= 6; before += 1) {
        for (let behind = 1; behind <= 6; behind += 1) {
          const value = `${'b'.repeat(before)}${octet}${'c'.repeat(behind)}`;
          const read = fieldsRead(`GET / HTTP/1.1\r\na: ${value}\r\n\r\n`);
          expect(read?.[1] === value, `${code} behind ${before} octets`).toBe(mayStand);
        }
      }
    }
  });
});

describe('the characters of heads', () => {
  const octets = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

  it.each<[string, (octet: string) => boolean, (octet: string) => boolean]>([
    [
      'names',
      (octet) => fieldsRead(`GET / HTTP/1.1\r\na${octet}b: c\r\n\r\n`)?.[0] === `a${octet}b`,
      (octet) => isWritable(() => fieldLines([`a${octet}b`, 'c'])),
    ],
    [
      'values',
      (octet) => fieldsRead(`GET / HTTP/1.1\r\na: b${octet}c\r\n\r\n`)?.[1] === `b${octet}c`,
      (octet) => isWritable(() => fieldLines(['a', `b${octet}c`])),
    ],
    [
      'methods',
      (octet) => fieldsRead(`G${octet}T / HTTP/1.1\r\na: b\r\n\r\n`) !== null && requestHead.methodEnd === 3,
      (octet) => isWritable(() => requestHeadText(`G${octet}T`, '/', [])),
    ],
    [
      'targets',
      (octet) => fieldsRead(`GET /${octet}a HTTP/1.1\r\na: b\r\n\r\n`) !== null,
      (octet) => isWritable(() => requestHeadText('GET', `/${octet}a`, [])),
    ],
  ])('are the same to readers and writers in %s, for each octet', (_, isRead, isWritten) => {
    const read = octets.filter(isRead);
    expect(read).toEqual(octets.filter(isWritten));
    expect(read.length).toBeGreaterThan(70);
  });
});
