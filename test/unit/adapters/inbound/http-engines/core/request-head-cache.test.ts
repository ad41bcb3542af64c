import { describe, expect, it } from 'vitest';
import { readHeads } from '../../../../../support/gateway/read-heads.js';

const get = (fields: string, line = 'GET / HTTP/1.1'): Buffer => Buffer.from(`${line}\r\n${fields}\r\n`, 'latin1');

/** Which of the heads, each in a piece of its own on one connection, were known. */
const knownOf = (heads: readonly Buffer[], maxOctets = 65_536): readonly boolean[] =>
  readHeads(heads, maxOctets)
    .slice(0, -1)
    .map(({ isKnown }) => isKnown);

const plain = get('Host: a\r\nAccept: */*\r\n');

describe('the field lines of a connection', () => {
  it('are known from the third time on, whatever the request line', () => {
    const others = ['POST /a?b HTTP/1.1', 'CONNECT a:443 HTTP/1.1', 'x * HTTP/1.1'].map((line) =>
      get('Host: a\r\nAccept: */*\r\n', line),
    );
    expect(knownOf([plain, plain, plain, ...others])).toEqual([false, false, true, true, true, true]);
  });

  it('are the same list each time, which says that it comes again', () => {
    const read = readHeads([plain, plain, plain, plain], 65_536).map(({ request }) => request);
    expect(read[3]?.headers).toBe(read[2]?.headers);
    expect(read[3]?.received).toBe(read[2]?.received);
    expect(read.slice(0, 4).map((request) => request?.received?.comesAgain)).toEqual([false, false, true, true]);
    expect(read[0]?.headers).not.toBe(read[2]?.headers);
  });

  it('stay the same list where a head with them came in one piece with another, which is read', () => {
    const two = Buffer.concat([plain, plain]);
    const read = readHeads([plain, plain, plain, two, plain, two, two, plain], 65_536);
    const [first, ...others] = read.filter(({ isKnown }) => isKnown).map(({ request }) => request?.headers);
    expect(others).toHaveLength(5);
    for (const list of others) expect(list).toBe(first);
    expect(read.filter(({ isKnown, request }) => !isKnown && request !== null)).toHaveLength(5);
  });

  it('are known to their own connection alone', () => {
    expect(knownOf([plain, plain, plain])).toContain(true);
    expect(knownOf([plain, plain])).not.toContain(true);
  });

  it.each([
    ['a length', 'Content-Length: 0\r\n', '', undefined],
    ['a length and a body', 'Content-Length: 3\r\n', 'abc', undefined],
    ['a coding', 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n', undefined],
    ['an end of the connection', 'Connection: close\r\n', '', undefined],
    ['an upgrade', 'Upgrade: websocket\r\n', '', undefined],
    ['an upgrade for the connection', 'Connection: upgrade\r\n', '', undefined],
    ['an expectation', 'Expect: 100-continue\r\n', '', undefined],
    ['HTTP/1.0', '', '', 'GET / HTTP/1.0'],
    ['a line that is not written so here', 'X-A:b\r\n', '', undefined],
  ])('are read each time with %s', (_, field, body, line) => {
    // The head ends its piece: else it would not be compared.
    const one = [get(`Host: a\r\n${field}`, line), Buffer.from(body)];
    expect(knownOf([...one, ...one, ...one, ...one])).toEqual([false, false, false, false]);
    // What is known from before does not say anything of it.
    const behind = [plain, plain, plain, ...one, ...one, ...one];
    expect(knownOf(behind)).toEqual([false, false, true, false, false, false]);
  });

  it('are read where a request line of HTTP/1.0, or more than one line, is in front of them', () => {
    const fields = 'Host: a\r\nAccept: */*\r\n';
    const others = [
      get(fields, 'GET / HTTP/1.0'),
      get(fields, '\r\nGET / HTTP/1.1'),
      get(fields, 'GET / HTTP/1.1\r\nX-A: b'),
      get(fields, 'GET / HTTP/1.1\r\nConnection: close'),
    ];
    const read = knownOf([plain, plain, plain, ...others]);
    expect(read).toEqual([false, false, true, false, false, false, false]);
  });

  it('are not remembered from HTTP/1.0, where an expectation is none', () => {
    const fields = 'Host: a\r\nExpect: 100-continue\r\n';
    const old = get(fields, 'GET / HTTP/1.0');
    const read = readHeads([old, old, get(fields)], 65_536);
    expect(read[2]?.isKnown).toBe(false);
    expect(read.slice(0, 3).map(({ request }) => request?.expectsContinue)).toEqual([false, false, true]);
  });

  it.each(['Host: b\r\nAccept: */*\r\n', 'Host: a\r\naccept: */*\r\n', 'Host: a\r\nAccept: */\t\r\n'])(
    'are not taken for others of their length: %j',
    (fields) => {
      const [, , , other] = readHeads([plain, plain, plain, get(fields)], 65_536);
      expect(other?.isKnown).toBe(false);
      expect(other?.request?.headers.join()).not.toBe('Host,a,Accept,*/*');
    },
  );

  it('are no reason to take a head over the limit', () => {
    const longer = get('Host: a\r\nAccept: */*\r\n', 'GET /a HTTP/1.1');
    const read = readHeads([plain, plain, plain, longer], plain.length);
    expect(read.map(({ isKnown }) => isKnown)).toEqual([false, false, true, false]);
    expect(read[3]?.facts).toBe('head_too_large');
  });

  it('are remembered up to 8 KiB of them, and up to 100', () => {
    const long = (octets: number): Buffer => get(`X-A: ${'a'.repeat(octets - 7)}\r\n`);
    const many = (count: number): Buffer => get('A: b\r\n'.repeat(count));
    for (const kept of [long(8_192), many(100)]) expect(knownOf([kept, kept, kept])).toEqual([false, false, true]);
    for (const left of [long(8_193), many(101)]) expect(knownOf([left, left, left])).toEqual([false, false, false]);
  });

  it('are given up where eight in a row did not come again, unless some came in between', () => {
    const pair = (name: string): Buffer[] => [get(`X: ${name}\r\n`), get(`X: ${name}\r\n`)];
    /** Others each time, of one length: from the second on each may come again, and none does. */
    const ever = Array.from({ length: 8 }, (_, index) => get(`X: ${index}\r\n`));
    expect(knownOf([...ever, ...pair('a'), ...pair('a')]).slice(-4)).toEqual([false, true, true, true]);
    expect(knownOf([...ever, get('X: 9\r\n'), ...pair('a'), ...pair('a')])).not.toContain(true);
    const again = [...ever, get('X: 7\r\n'), ...ever.slice(1), ...pair('a'), ...pair('a')];
    expect(knownOf(again).slice(-4)).toEqual([false, true, true, true]);
  });
});
