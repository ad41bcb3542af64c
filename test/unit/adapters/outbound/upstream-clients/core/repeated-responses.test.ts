import { describe, expect, it } from 'vitest';
import {
  type KnownResponse,
  RepeatedResponses,
} from '../../../../../../src/adapters/outbound/upstream-clients/core/repeated-responses.js';
import { readResponseHead } from '../../../../../../src/adapters/wire/http1/read-response-head.js';
import { octetsUsed } from '../../../../../support/octets-used.js';

const octetsOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** A response comes, as a reader of the target has it: what it is recalled as, or null where it had to be read. */
const come = (repeated: RepeatedResponses, head: string, behind = ''): KnownResponse | null => {
  const octets = octetsOf(head + behind);
  const known = repeated.recall(octets, 0, octets.length);
  if (known !== null) return known;
  expect(readResponseHead(octets, 0, octets.length, 65_536)).toBe(head.length);
  repeated.note(octets, 0, octets.toString('latin1'), head.length);
  return null;
};

/** For each of the heads, whether it was recalled. */
const recalled = (repeated: RepeatedResponses, heads: readonly string[]): readonly boolean[] =>
  heads.map((head) => come(repeated, head) !== null);

const times = (count: number, head: string): readonly string[] => Array<string>(count).fill(head);

const headWith = (...lines: readonly string[]): string => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`;

const head = headWith('Date: Sun, 06 Nov 1994 08:49:37 GMT', 'Content-Length: 5', 'X-A: b');

/** Each is as long as the others, and another one. */
const numbered = (number: number): string => headWith('Content-Length: 5', `X-Id: ${String(number).padStart(6, '0')}`);

/** What has come to know a head. */
const knowing = (text = head): RepeatedResponses => {
  const repeated = new RepeatedResponses();
  expect(recalled(repeated, times(3, text))).toEqual([false, false, true]);
  return repeated;
};

describe('the head of a response that comes again', () => {
  it('is recalled from the third time on', () => {
    expect(recalled(new RepeatedResponses(), times(6, head))).toEqual([false, false, true, true, true, true]);
  });

  it('is remembered when it is as long as the one before, whatever that was', () => {
    expect(recalled(new RepeatedResponses(), [numbered(1), numbered(2), numbered(2)])).toEqual([false, false, true]);
    expect(recalled(new RepeatedResponses(), [numbered(1), numbered(2), numbered(1)])).toEqual([false, false, false]);
  });

  it('is not remembered behind one of another length', () => {
    const other = headWith('X-Other: 1');
    expect(recalled(new RepeatedResponses(), [head, other, head, other, head, other])).toEqual(Array(6).fill(false));
  });

  it('is what it was when it was read', () => {
    const known = come(knowing(), head);
    expect(known).toMatchObject({ status: 200, contentLength: 5, isChunked: false });
    expect(known?.octets.toString('latin1')).toBe(head);
    expect(known?.lines.fields).toEqual(['Date', 'Sun, 06 Nov 1994 08:49:37 GMT', 'Content-Length', '5', 'X-A', 'b']);
    const chunked = 'HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(come(knowing(chunked), chunked)).toMatchObject({ status: 404, contentLength: -1, isChunked: true });
    const bare = 'HTTP/1.1 200\r\n\r\n';
    expect(come(knowing(bare), bare)).toMatchObject({ status: 200, contentLength: -1, isChunked: false });
  });

  it('is not recalled with another octet anywhere in it', () => {
    const repeated = knowing();
    for (let at = 0; at < head.length; at += 1) {
      for (const bit of [0x01, 0x20, 0x80]) {
        const octets = octetsOf(head);
        octets[at] = (octets[at] ?? 0) ^ bit;
        expect(repeated.recall(octets, 0, octets.length), `octet ${at}`).toBeNull();
      }
      expect(repeated.recall(octetsOf(head), 0, head.length)).not.toBeNull();
    }
  });

  it('is not recalled by a part of it, whatever lies behind what was read', () => {
    const repeated = knowing();
    const octets = octetsOf(head);
    for (let end = 0; end < head.length; end += 1) {
      expect(repeated.recall(octets, 0, end), `the first ${end}`).toBeNull();
      expect(repeated.recall(octets.subarray(0, end), 0, end), `${end} alone`).toBeNull();
      expect(repeated.recall(octets, 0, octets.length)).not.toBeNull();
    }
  });

  it('is recalled where it begins, and nowhere else', () => {
    const repeated = knowing();
    const octets = octetsOf(`\r\n${head}`);
    expect(repeated.recall(octets, 2, octets.length)?.octets.toString('latin1')).toBe(head);
    expect(repeated.recall(octets, 0, octets.length)).toBeNull();
    expect(repeated.recall(octets, 1, octets.length)).toBeNull();
    expect(repeated.recall(octets, 3, octets.length)).toBeNull();
  });

  it('is recalled with other octets behind it, which are no part of it', () => {
    const repeated = new RepeatedResponses();
    const bodies = ['first', 'other', '', 'third and more', head, '\r\n'];
    const known = bodies.map((body) => come(repeated, head, body));
    expect(known.map((one) => one?.octets.toString('latin1') ?? null)).toEqual([null, null, ...times(4, head)]);
    expect(known[2]?.lines.passedLines).toBe(head.slice('HTTP/1.1 200 OK\r\n'.length, -2));
  });

  it('is remembered from the place where it was, behind interim responses', () => {
    const repeated = new RepeatedResponses();
    const before = 'HTTP/1.1 100 Continue\r\n\r\n';
    for (let time = 0; time < 2; time += 1) {
      const octets = octetsOf(`${before}${head}hello`);
      expect(readResponseHead(octets, before.length, octets.length, 65_536)).toBe(head.length);
      repeated.note(octets, before.length, `${head}hello`, head.length);
    }
    expect(come(repeated, head)?.octets.toString('latin1')).toBe(head);
  });

  it('is kept in memory of its own', () => {
    const repeated = new RepeatedResponses();
    const shared = Buffer.alloc(1_024);
    for (let time = 0; time < 2; time += 1) {
      shared.write(head, 'latin1');
      readResponseHead(shared, 0, head.length, 65_536);
      repeated.note(shared, 0, head, head.length);
      shared.fill(0x61);
    }
    expect(repeated.recall(shared, 0, shared.length)).toBeNull();
    const known = come(repeated, head);
    expect(known?.octets.toString('latin1')).toBe(head);
    expect(known?.octets.buffer.byteLength).toBe(head.length);
    expect(known?.lines.fields.at(-1)).toBe('b');
  });
});

describe('what is kept of a head', () => {
  it('is little more than itself, however much has come with it', () => {
    const all: RepeatedResponses[] = [];
    const keep = (count: number): void => {
      for (let index = 0; index < count; index += 1) {
        const repeated = new RepeatedResponses();
        const text = numbered(index);
        for (let time = 0; time < 2; time += 1) {
          const octets = octetsOf(text + 'a'.repeat(100_000));
          readResponseHead(octets, 0, octets.length, 65_536);
          repeated.note(octets, 0, octets.toString('latin1'), text.length);
        }
        expect(come(repeated, text)?.lines.passedLines).toHaveLength(text.length - 19);
        all.push(repeated);
      }
    };
    keep(10);
    const before = octetsUsed();
    keep(100);
    expect(octetsUsed() - before).toBeLessThan(100 * 20_000);
    expect(all).toHaveLength(110);
  });
});

describe('a head that is not remembered', () => {
  it.each([
    ['Set-Cookie', headWith('Content-Length: 5', 'Set-Cookie: a=b')],
    ['set-cookie in front of others', headWith('set-cookie: a=b', 'Content-Length: 5')],
    ['SET-COOKIE between others', headWith('X-A: b', 'SET-COOKIE: a=b', 'Content-Length: 5')],
    ['a Set-Cookie that is written in another way', headWith('Content-Length: 5', 'sET-cOOKIE:a=b')],
    ['Location', headWith('Content-Length: 5', 'Location: /?code=a')],
    ['Authentication-Info', headWith('Content-Length: 5', 'authentication-info: nextnonce="a"')],
    ['Authorization', headWith('Content-Length: 5', 'AUTHORIZATION: Bearer a')],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n'],
    ['HTTP/1.0 that stays', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n'],
    ['Connection: close', headWith('Connection: close', 'Content-Length: 5')],
    ['Connection: close among others', headWith('Connection: x-a, Close', 'Content-Length: 5')],
    ['101', 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ])('is for one client, or for no other response on its connection: %s', (_, text) => {
    expect(recalled(new RepeatedResponses(), times(8, text)), 'alone').toEqual(Array(8).fill(false));
    // Nor in place of one that is known: that goes on.
    const repeated = knowing();
    expect(recalled(repeated, times(8, text)), 'behind another').toEqual(Array(8).fill(false));
    expect(recalled(repeated, [head])).toEqual([true]);
  });

  it.each([
    ['a name that is longer', headWith('Set-Cookie2: a=b')],
    ['a name that ends so', headWith('X-Set-Cookie: a=b')],
    ['a value', headWith('Vary: Set-Cookie', 'X-A: Set-Cookie')],
    ['Connection: keep-alive', headWith('Connection: keep-alive')],
    ['the name of another field as connection option', headWith('Connection: x-close')],
  ])('is not one that only looks so: %s', (_, text) => {
    expect(recalled(new RepeatedResponses(), times(3, text))).toEqual([false, false, true]);
  });

  it('is one of more than 4 096 octets', () => {
    const long = (octets: number): string => headWith(`X-Long: ${'a'.repeat(octets - headWith('X-Long: ').length)}`);
    expect(long(4_096)).toHaveLength(4_096);
    expect(recalled(new RepeatedResponses(), times(4, long(4_096)))).toEqual([false, false, true, true]);
    expect(recalled(new RepeatedResponses(), times(4, long(4_097)))).toEqual([false, false, false, false]);
  });
});

describe('a head that is remembered', () => {
  /** Two lengths in turn: none of them is remembered. */
  const others = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => headWith(index % 2 === 0 ? 'X-One: 1' : 'X-Another: 2'));

  it('is let go when 64 others have come in a row', () => {
    const repeated = knowing();
    expect(recalled(repeated, [...others(64), head, head, head]).slice(64)).toEqual([false, false, true]);
  });

  it('is still known behind 63 others, however often', () => {
    const repeated = knowing();
    for (let round = 0; round < 4; round += 1) {
      expect(recalled(repeated, [...others(63), head]).at(-1), `round ${round}`).toBe(true);
    }
  });

  it('counts those that come behind it, not behind the one that it replaces', () => {
    const repeated = knowing();
    recalled(repeated, others(40));
    const next = headWith('X-Next: as long as itself');
    expect(recalled(repeated, [next, next])).toEqual([false, false]);
    expect(recalled(repeated, [...others(63), next]).at(-1)).toBe(true);
  });

  it('makes room for the next that is as long as the one before', () => {
    const repeated = knowing(numbered(1));
    expect(recalled(repeated, [numbered(2), numbered(2), numbered(1), numbered(1)])).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('is recalled from its second time on where it is another one each second', () => {
    const repeated = new RepeatedResponses();
    const dated = (second: number): string =>
      headWith(`Date: ${new Date(784_111_777_000 + second * 1_000).toUTCString()}`, 'Content-Length: 5');
    expect(recalled(repeated, times(3, dated(0)))).toEqual([false, false, true]);
    for (let second = 1; second < 100; second += 1) {
      expect(recalled(repeated, times(3, dated(second))), `second ${second}`).toEqual([false, true, true]);
    }
  });
});

describe('what has remembered heads that never came again', () => {
  const different = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => numbered(index));

  /** So many different heads of one length have come. */
  const behind = (count: number): RepeatedResponses => {
    const repeated = new RepeatedResponses();
    expect(recalled(repeated, different(count))).toEqual(Array(count).fill(false));
    return repeated;
  };

  it('tries it eight times', () => {
    // The first is as long as none before.
    for (let count = 2; count <= 9; count += 1) {
      expect(recalled(behind(count), [numbered(count - 1)]), `${count} heads`).toEqual([true]);
    }
  });

  it('then knows none of them, and takes no note of 1 024 responses', () => {
    expect(recalled(behind(10), [numbered(9), numbered(8)])).toEqual([false, false]);
    const repeated = behind(10);
    expect(recalled(repeated, times(1_024, numbered(10)))).toEqual(Array(1_024).fill(false));
    // As long as the one that came last before.
    expect(recalled(repeated, times(3, numbered(10)))).toEqual([false, true, true]);
  });

  it('tries it eight times again', () => {
    for (const count of [8, 9]) {
      const repeated = behind(10 + 1_024);
      const heads = Array.from({ length: count }, (_, index) => numbered(2_000 + index));
      expect(recalled(repeated, heads)).not.toContain(true);
      expect(recalled(repeated, heads.slice(-1)), `${count} heads`).toEqual([count === 8]);
    }
  });

  it('counts as tries what is for one client', () => {
    const repeated = new RepeatedResponses();
    recalled(
      repeated,
      Array.from({ length: 9 }, (_, index) => headWith(`Set-Cookie: a=${index}`)),
    );
    expect(recalled(repeated, [headWith('Set-Cookie: a=9'), ...times(3, head)])).toEqual([false, false, false, false]);
  });

  it.each([1, 3, 8, 20])('has as many tries again, eight at the most, where one was recalled %i times', (count) => {
    const tries = Math.min(count, 8);
    for (const others of [tries, tries + 1]) {
      const repeated = behind(9);
      expect(recalled(repeated, times(count, numbered(8)))).toEqual(Array(count).fill(true));
      const heads = Array.from({ length: others }, (_, index) => numbered(100 + index));
      expect(recalled(repeated, heads)).toEqual(Array(others).fill(false));
      expect(recalled(repeated, heads.slice(-1)), `${others} others`).toEqual([others === tries]);
    }
  });
});
