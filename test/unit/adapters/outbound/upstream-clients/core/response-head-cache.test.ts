import { describe, expect, it } from 'vitest';
import { Http1ResponseReader } from '../../../../../../src/adapters/outbound/upstream-clients/core/http1-response-reader.js';
import { ResponseHeadCache } from '../../../../../../src/adapters/outbound/upstream-clients/core/response-head-cache.js';
import {
  come,
  headWith,
  knowing,
  noteAt,
  numbered,
  recalled,
  times,
} from '../../../../../support/gateway/coming-heads.js';
import {
  ObservedResponses,
  ResponseReading,
  type ResponseTurn,
  readTogether,
} from '../../../../../support/gateway/response-readings.js';

const octetsOf = (text: string): Buffer => Buffer.from(text, 'latin1');

const head = headWith('Date: Sun, 06 Nov 1994 08:49:37 GMT', 'Content-Length: 5', 'X-A: b');

describe('the head of a response that comes again', () => {
  it('is recalled from the fourth time on', () => {
    expect(recalled(new ResponseHeadCache(), times(7, head))).toEqual([false, false, false, true, true, true, true]);
  });

  it('is not recalled while it has been read once only', () => {
    const repeated = new ResponseHeadCache();
    expect(recalled(repeated, [numbered(1), numbered(2)])).toEqual([false, false]);
    for (let time = 0; time < 3; time += 1) {
      expect(repeated.recall(octetsOf(numbered(2)), 0, numbered(2).length)).toBeNull();
    }
    expect(recalled(repeated, [numbered(2), numbered(2)])).toEqual([false, true]);
  });

  it('may take its place when it is as long as the one before, whatever that was', () => {
    const [one, two] = [numbered(1), numbered(2)];
    expect(recalled(new ResponseHeadCache(), [one, two, two, two])).toEqual([false, false, false, true]);
    expect(recalled(new ResponseHeadCache(), [one, two, one, one])).toEqual([false, false, false, false]);
  });

  it('does not behind one of another length', () => {
    const other = headWith('X-Other: 1');
    expect(recalled(new ResponseHeadCache(), [head, other, head, other, head, other])).toEqual(times(6, false));
    // Nor is it known behind one.
    const heads = [head, head, other, head, head, head];
    expect(recalled(new ResponseHeadCache(), heads)).toEqual([false, false, false, false, false, true]);
  });

  it('makes room for the next where it did not come again', () => {
    const [one, two] = [numbered(1), numbered(2)];
    expect(recalled(new ResponseHeadCache(), [one, one, two, one, one, one])).toEqual([
      ...times(4, false),
      false,
      true,
    ]);
    expect(recalled(new ResponseHeadCache(), [one, one, two, two, two])).toEqual([...times(4, false), true]);
    for (const other of [headWith('X-A: b'), headWith('X-Long: much longer than the others are')]) {
      const heads = [one, one, ...times(4, other)];
      expect(recalled(new ResponseHeadCache(), heads)).toEqual([...times(5, false), true]);
    }
  });

  it('does not make room for one that is for one client', () => {
    const of = (line: string): string => headWith('Content-Length: 5', line);
    const [plain, cookie] = [of('X-No-Cookie: a'), of('Set-Cookie: ab')];
    expect(cookie).toHaveLength(plain.length);
    const heads = [plain, plain, cookie, plain, cookie, plain];
    expect(recalled(new ResponseHeadCache(), heads)).toEqual([...times(5, false), true]);
  });

  it('is what it was when it was read', () => {
    const known = come(knowing(head), head);
    expect(known).toMatchObject({ status: 200, contentLength: 5, isChunked: false });
    expect(known?.octets.toString('latin1')).toBe(head);
    expect(known?.lines.fields).toEqual(['Date', 'Sun, 06 Nov 1994 08:49:37 GMT', 'Content-Length', '5', 'X-A', 'b']);
    const chunked = 'HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(come(knowing(chunked), chunked)).toMatchObject({ status: 404, contentLength: -1, isChunked: true });
    const bare = 'HTTP/1.1 200\r\n\r\n';
    expect(come(knowing(bare), bare)).toMatchObject({ status: 200, contentLength: -1, isChunked: false });
  });

  it('is not recalled with another octet anywhere in it', () => {
    const repeated = knowing(head);
    for (let at = 0; at < head.length; at += 1) {
      for (const bit of [0x01, 0x20, 0x80]) {
        const octets = octetsOf(head);
        octets[at] = (octets[at] ?? 0) ^ bit;
        expect(repeated.recall(octets, 0, octets.length), `octet ${at}`).toBeNull();
      }
      expect(repeated.recall(octetsOf(head), 0, head.length)).not.toBeNull();
    }
  });

  it('has come again only with the very same octets', () => {
    for (let at = 0; at < head.length; at += 1) {
      const repeated = new ResponseHeadCache();
      recalled(repeated, [head, head]);
      const octets = octetsOf(head);
      octets[at] = (octets[at] ?? 0) ^ 0x01;
      // Whatever that is: here it is only asked whether it is taken for the other.
      repeated.note(octets, 0, head, head.length);
      expect(repeated.recall(octetsOf(head), 0, head.length), `octet ${at}`).toBeNull();
      expect(repeated.recall(octets, 0, head.length), `octet ${at}`).toBeNull();
    }
  });

  it('is not recalled by a part of it, whatever lies behind what was read', () => {
    const repeated = knowing(head);
    const octets = octetsOf(head);
    for (let end = 0; end < head.length; end += 1) {
      expect(repeated.recall(octets, 0, end), `the first ${end}`).toBeNull();
      expect(repeated.recall(octets.subarray(0, end), 0, end), `${end} alone`).toBeNull();
      expect(repeated.recall(octets, 0, octets.length)).not.toBeNull();
    }
  });

  it('is recalled where it begins, and nowhere else', () => {
    const repeated = knowing(head);
    const octets = octetsOf(`\r\n${head}`);
    expect(repeated.recall(octets, 2, octets.length)?.octets.toString('latin1')).toBe(head);
    expect(repeated.recall(octets, 0, octets.length)).toBeNull();
    expect(repeated.recall(octets, 1, octets.length)).toBeNull();
    expect(repeated.recall(octets, 3, octets.length)).toBeNull();
  });

  it('is recalled with other octets behind it, which are no part of it', () => {
    const repeated = new ResponseHeadCache();
    const bodies = ['first', 'other', '', 'fourth and more', head, '\r\n'];
    const known = bodies.map((body) => come(repeated, head, body));
    expect(known.map((one) => one?.octets.toString('latin1') ?? null)).toEqual([null, null, null, ...times(3, head)]);
    expect(known[3]?.lines.passedLines).toBe(head.slice('HTTP/1.1 200 OK\r\n'.length, -2));
  });

  it('is remembered from the place where it was, behind interim responses and in whatever memory', () => {
    for (const fronts of [
      [1, 1, 1],
      [0, 2, 1],
      [0, 0, 1],
      [3, 0, 0],
    ]) {
      const repeated = new ResponseHeadCache();
      for (const front of fronts) {
        const before = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(front);
        // Not a Buffer, and not from the beginning of its memory.
        const octets = Uint8Array.from(octetsOf(`behind${before}${head}hello`)).subarray('behind'.length);
        noteAt(repeated, octets, before.length, head);
      }
      expect(come(repeated, head)?.octets.toString('latin1')).toBe(head);
    }
  });

  it('is kept in memory of its own', () => {
    const repeated = new ResponseHeadCache();
    const shared = Buffer.alloc(1_024);
    for (let time = 0; time < 3; time += 1) {
      shared.write(head, 'latin1');
      noteAt(repeated, shared, 0, head);
      shared.fill(0x61);
    }
    expect(repeated.recall(shared, 0, shared.length)).toBeNull();
    const known = come(repeated, head);
    expect(known?.octets.toString('latin1')).toBe(head);
    expect(known?.octets.buffer.byteLength).toBe(head.length);
    expect(known?.lines.fields.at(-1)).toBe('b');
  });

  it('is in memory of its own before it is known', () => {
    const repeated = new ResponseHeadCache();
    const shared = Buffer.alloc(1_024);
    const noted = (text: string): void => {
      shared.write(text, 'latin1');
      noteAt(repeated, shared, 0, text);
    };
    noted(numbered(1));
    noted(numbered(2));
    // In the very same place: it has not come again for that.
    noted(numbered(3));
    expect(recalled(repeated, [numbered(3), numbered(3)])).toEqual([false, true]);
  });
});

describe('a head that is read behind an interim response', () => {
  const said = `${head}hello`;
  const interim = 'HTTP/1.1 103 X\r\n\r\n';
  const turn: ResponseTurn = { isToHead: false, maySwitch: false, endsConnection: false, manner: 'octets' };

  it.each([
    ['of another length', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['that is as long', `${interim.slice(0, -2)}A:${'a'.repeat(head.length - interim.length - 4)}\r\n\r\n`],
  ])('comes again alone, and not as the one before it: %s', (_, before) => {
    const repeated = new ObservedResponses();
    const reader = new Http1ResponseReader(repeated);
    const fronts = [before, before, before, before, '', before, ''];
    const outcomes = fronts.map((front) => {
      const reading = new ResponseReading(reader, repeated, [octetsOf(front + said)], turn);
      readTogether([reading]);
      return { octets: reading.known?.octets.toString('latin1') ?? null, outcome: reading.outcome() };
    });
    expect(outcomes.map(({ octets }) => octets)).toEqual([...times(4, null), head, null, head]);
    const final = ['whole', 200, {}, { content: 'hello' }];
    for (const [at, { outcome }] of outcomes.entries()) {
      const isAlone = fronts[at] === '';
      expect(outcome).toEqual(outcomes[isAlone ? 4 : 0]?.outcome);
      expect(outcome).toMatchObject({
        told: isAlone ? [final] : [['interim', expect.any(Number), expect.any(Array)], final],
      });
    }
  });
});

describe('a head that is remembered', () => {
  /** Two lengths in turn: none of them is remembered. */
  const others = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => headWith(index % 2 === 0 ? 'X-One: 1' : 'X-Another: 2'));

  it('is let go when 64 others have come in a row', () => {
    const repeated = knowing(head);
    expect(recalled(repeated, [...others(64), ...times(4, head)]).slice(64)).toEqual([false, false, false, true]);
  });

  it('is still known behind 63 others, however often', () => {
    const repeated = knowing(head);
    for (let round = 0; round < 4; round += 1) {
      expect(recalled(repeated, [...others(63), head]).at(-1), `round ${round}`).toBe(true);
    }
  });

  it('counts those that come behind it, not behind the one that it replaces', () => {
    const repeated = knowing(head);
    recalled(repeated, others(40));
    const next = headWith('X-Next: as long as itself');
    expect(recalled(repeated, times(3, next))).toEqual([false, false, false]);
    expect(recalled(repeated, [...others(63), next]).at(-1)).toBe(true);
    // Nor behind one that was let go.
    expect(recalled(repeated, [...others(64), ...times(3, next), ...others(63), next]).at(-1)).toBe(true);
  });

  it('is known while others of its length come and go', () => {
    const repeated = knowing(numbered(0));
    for (let other = 1; other < 100; other += 1) {
      const heads = [numbered(other), numbered(100 + (other % 7)), numbered(0)];
      expect(recalled(repeated, heads).at(-1), `the ${other}th`).toBe(true);
    }
  });

  it('makes room for the one that comes again', () => {
    const [one, two, three] = [numbered(1), numbered(2), numbered(3)];
    const repeated = knowing(one);
    expect(recalled(repeated, [two, one, three, one])).toEqual([false, true, false, true]);
    // That it came before the third is forgotten.
    expect(recalled(repeated, [two, one])).toEqual([false, true]);
    expect(recalled(repeated, [two, one, two])).toEqual([false, false, true]);
    expect(recalled(knowing(one), times(3, two))).toEqual([false, false, true]);
  });

  it('is the head that came last, when it is recalled', () => {
    const [one, two] = [numbered(1), numbered(2)];
    const repeated = knowing(one);
    const heads = [headWith('X-Other: 1'), one, two, two, two];
    expect(recalled(repeated, heads)).toEqual([false, true, false, false, true]);
  });

  it('is recalled from its third time on where it is another one each second', () => {
    const dated = (second: number): string =>
      headWith(`Date: ${new Date(784_111_777_000 + second * 1_000).toUTCString()}`, 'Content-Length: 5');
    const repeated = knowing(dated(0));
    for (let second = 1; second < 100; second += 1) {
      const heads = times(6, dated(second));
      expect(recalled(repeated, heads), `second ${second}`).toEqual([false, false, ...times(4, true)]);
    }
  });
});
