import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldLines, UnwritableHeadError } from '../../../../../src/adapters/wire/http1/head-text.js';
import { type FieldsLikeKept, SentLines } from '../../../../../src/adapters/wire/http1/sent-lines.js';
import { fieldValue, token } from '../../../../support/gateway/http1-arbitraries.js';

const line = 'GET /a?b HTTP/1.1\r\n';

/** The lines of a head with these fields. */
const linesIn = (lines: SentLines, fields: readonly string[], alike: FieldsLikeKept | null = null): string | null => {
  const head = lines.head('GET', '/a?b', fields, alike);
  if (head === null) return null;
  expect([head.slice(0, line.length), head.slice(-2)]).toEqual([line, '\r\n']);
  return head.slice(line.length, -2);
};

/** Texts of which some may stand in no line. */
const anyText = fc.oneof(
  fieldValue,
  token,
  fc.constantFrom(
    '',
    ' ',
    'a\r\nX-User-Id: admin',
    'a\nb',
    'a\rb',
    'a\0',
    'a\x7f',
    '\u010d',
    '\u560a',
    'a\ud800',
    'a: b',
  ),
  fc.integer({ min: 0, max: 0x17f }).map((code) => `a${String.fromCharCode(code)}`),
);

const fieldsSent = fc
  .array(fc.tuple(token, fc.oneof(fieldValue, fc.constantFrom('', 'a', 'b'))), { minLength: 1, maxLength: 8 })
  .map((pairs) => pairs.flat());

interface Change {
  readonly at: number;
  readonly text: string;
}

const values = fc.record<Change>({ at: fc.nat().map((at) => at * 2 + 1), text: anyText });
const entries = fc.record<Change>({ at: fc.nat(), text: anyText });
/** None, one value, or one, two, three entries, names among them. */
const changes = fc.oneof(
  fc.array(values, { maxLength: 1 }),
  fc.array(entries, { maxLength: 3 }),
  fc.array(values, { maxLength: 2 }),
);

const changed = (fields: readonly string[], list: readonly Change[]): string[] => {
  const copy = fields.slice();
  for (const { at, text } of list) copy[at % copy.length] = text;
  return copy;
};

/** What is written; null: nothing may be. */
const written = (fields: readonly string[]): string | null => {
  try {
    return fieldLines(fields);
  } catch {
    return null;
  }
};

describe('lines that were sent', () => {
  it('are those of the fields in which a few values may differ, or nothing is said of them', () => {
    const told = { same: 0, other: 0, refused: 0 };
    const lists = fc.array(fc.tuple(changes, fc.constantFrom(0, 0, 0, 0, 2, -2)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fieldsSent, lists, (fields, all) => {
        const lines = new SentLines(fields, fieldLines(fields), []);
        for (const [list, longer] of all) {
          const next = changed(fields, list);
          if (longer > 0) next.push('X-More', 'a');
          if (longer < 0) next.length -= 2;
          const text = linesIn(lines, next);
          if (text === null) {
            if (written(next) === null) told.refused += 1;
            continue;
          }
          expect(text).toBe(written(next));
          told[text === fieldLines(fields) ? 'same' : 'other'] += 1;
        }
      }),
      { numRuns: 3_000 },
    );
    expect(told.same).toBeGreaterThan(300);
    expect(told.other).toBeGreaterThan(300);
    expect(told.refused).toBeGreaterThan(300);
  });

  it('are those of fields that are like a kept list but for one value, whatever was asked for before', () => {
    const told = { same: 0, refused: 0, unsaid: 0 };
    const place = fc.nat({ max: 7 }).map((at) => at * 2 + 1);
    const turn = fc.record({
      list: fc.constantFrom(0, 0, 0, 0, 1, 2),
      at: fc.constantFrom(0, 0, 0, 0, 1),
      text: anyText,
      // What is told is of other fields than those that are asked for.
      other: fc.constantFrom(null, null, null, null, 0, 1, 2),
    });
    fc.assert(
      fc.property(
        fieldsSent,
        fc.tuple(place, place),
        fc.tuple(entries, entries),
        fc.array(turn, { minLength: 1, maxLength: 8 }),
        (fields, places, [change, another], all) => {
          const lines = new SentLines(fields, fieldLines(fields), []);
          // The one that was sent, and others that may be like it.
          const keptLists = [fields, changed(fields, [change]), [...changed(fields, [change, another]), 'X-More', 'a']];
          for (const { list, at: which, text, other } of all) {
            const kept = keptLists[list] as string[];
            const at = (places[which] as number) % kept.length;
            const next = kept.with(at, text);
            const alike = { fields: other === null ? next : [...next], kept: keptLists[other ?? list] as string[], at };
            const lineText = linesIn(lines, next, alike);
            const expected = written(next);
            if (lineText !== null) expect(lineText).toBe(expected);
            told[lineText !== null ? 'same' : expected === null ? 'refused' : 'unsaid'] += 1;
          }
        },
      ),
      { numRuns: 3_000 },
    );
    expect(told.same).toBeGreaterThan(1_000);
    expect(told.refused).toBeGreaterThan(300);
  });

  it('are not gone through where the kept list is the one of before: what is in it is known', () => {
    const kept = ['Accept', 'a', 'X-Correlation-Id', 'c-1'];
    const lines = new SentLines(kept, fieldLines(kept), []);
    const like = (id: string) => ({ fields: kept.with(3, id), kept, at: 3 });
    for (const id of ['c-2', 'c-3']) {
      const next = like(id);
      expect(linesIn(lines, next.fields, next)).toBe(fieldLines(next.fields));
    }
    // Nobody changes a kept list, nor says that other fields are like it: so this is not seen.
    const other = { fields: ['Accept', 'b', 'X-Correlation-Id', 'c-4'], kept, at: 3 };
    expect(linesIn(lines, other.fields, other)).toBe(fieldLines(like('c-4').fields));
    expect(linesIn(lines, other.fields, { ...other, kept: [...kept] })).toBeNull();
    expect(linesIn(lines, other.fields, { ...other, at: 1 })).toBeNull();
    expect(linesIn(lines, other.fields)).toBeNull();
    const elsewhere = {
      fields: ['Accept', 'a', 'X-Correlation-Id', 'c-6'],
      kept: ['Accept', 'b', 'X-Correlation-Id', 'c-6'],
      at: 1,
    };
    expect(linesIn(lines, elsewhere.fields, elsewhere)).toBe(fieldLines(elsewhere.fields));
    const different = { fields: elsewhere.kept.with(3, 'c-7'), kept: elsewhere.kept, at: 3 };
    expect(linesIn(lines, different.fields, different)).toBeNull();
    const bad = like('c-5\r\nX-User-Id: admin');
    expect(linesIn(lines, bad.fields, bad)).toBeNull();
  });

  it('have the line of their own request in front of them, whatever the one before has asked for', () => {
    const kept = ['Accept', 'a', 'X-Correlation-Id', 'c-1'];
    const asked = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'G'),
      target: fc.constantFrom('/', '/a', '/b', `/${'x'.repeat(1_023)}`, `/${'x'.repeat(1_024)}`),
      id: fc.constantFrom('c-2', 'c-3', ''),
      isLike: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
    });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 30 }), (all) => {
        const lines = new SentLines(kept, fieldLines(kept), []);
        for (const { method, target, id, isLike } of all) {
          const fields = kept.with(3, id);
          const head = lines.head(method, target, fields, isLike ? { fields, kept, at: 3 } : null);
          expect(head).toBe(`${method} ${target} HTTP/1.1\r\n${fieldLines(fields)}\r\n`);
        }
      }),
    );
  });

  it.each([
    ['a\r\nX-User-Id: admin', '/a'],
    ['GET', '/a b'],
    ['GET', '/a\r\n'],
    ['GET', ''],
    ['', '/a'],
  ])('have no line in front of them that cannot be written: %j %j', (method, target) => {
    const kept = ['Accept', 'a', 'X-Correlation-Id', 'c-1'];
    const lines = new SentLines(kept, fieldLines(kept), []);
    const like = (id: string) => ({ fields: kept.with(3, id), kept, at: 3 });
    for (const next of ['c-2', 'c-3', 'c-4'].map(like)) expect(linesIn(lines, next.fields, next)).not.toBeNull();
    for (let time = 0; time < 3; time += 1) {
      const next = like('c-5');
      expect(() => lines.head(method, target, next.fields, next)).toThrow(UnwritableHeadError);
    }
  });

  it('are not given up for what has missed now and then, where others between them were alike', () => {
    const kept = ['Accept', 'a', 'X-Correlation-Id', 'c-1'];
    const lines = new SentLines(kept, fieldLines(kept), []);
    const like = (id: string) => ({ fields: kept.with(3, id), kept, at: 3 });
    const hit = (): void => {
      for (const next of ['c-2', 'c-3'].map(like)) expect(linesIn(lines, next.fields, next)).not.toBeNull();
    };
    hit();
    for (let time = 0; time < 40; time += 1) {
      expect(linesIn(lines, ['Accept', 'a'])).toBeNull();
      hit();
    }
    expect(linesIn(lines, kept)).not.toBeNull();
  });

  it('are told for every value of the entry that differed first, and for no other entry', () => {
    const fields = ['Accept', 'a', 'X-Correlation-Id', 'c-1', 'X-A', 'c-1'];
    const lines = new SentLines(fields, fieldLines(fields), []);
    expect(linesIn(lines, fields)).toBe(fieldLines(fields));
    for (const id of ['c-2', '', 'a much longer one', 'c-1']) {
      const next = ['Accept', 'a', 'X-Correlation-Id', id, 'X-A', 'c-1'];
      expect(linesIn(lines, next)).toBe(fieldLines(next));
      expect(linesIn(lines, ['Accept', 'b', 'X-Correlation-Id', id, 'X-A', 'c-1'])).toBeNull();
      expect(linesIn(lines, ['accept', 'a', 'X-Correlation-Id', id, 'X-A', 'c-1'])).toBeNull();
      expect(linesIn(lines, ['Accept', 'a', 'X-Correlation-ID', id, 'X-A', 'c-1'])).toBeNull();
      expect(linesIn(lines, ['Accept', 'a', 'X-Correlation-Id', id, 'X-A', 'c-2'])).toBeNull();
      expect(linesIn(lines, [...next, 'X-B', 'b'])).toBeNull();
      expect(linesIn(lines, next.slice(2))).toBeNull();
    }
  });

  it.each([0, 1, 2])('have only what a value may have in the place of one, where field %d differs', (place) => {
    const fields = ['A', 'a', 'B', 'b', 'C', 'c'];
    const lines = new SentLines(fields, fieldLines(fields), []);
    for (let code = 0; code < 0x180; code += 1) {
      const next = fields.with(place * 2 + 1, `x${String.fromCharCode(code)}y`);
      expect(linesIn(lines, next)).toBe(written(next));
      // It is not given up for what may not be written.
      expect(linesIn(lines, fields)).toBe(fieldLines(fields));
    }
    expect(linesIn(lines, fields.with(place * 2 + 1, 'a\u560d\u560aX-User-Id: admin'))).toBeNull();
  });

  it('may differ in up to four values, which are always the same ones', () => {
    const fields = ['A', 'a', 'B', 'b', 'C', 'c', 'D', 'd', 'E', 'e', 'F', 'f'];
    const otherAt = (places: readonly number[], value: string): string[] =>
      fields.map((text, at) => (places.includes(at) ? value : text));
    for (const places of [[1], [11], [1, 11], [3, 5], [1, 3, 9], [3, 5, 7, 11]]) {
      const lines = new SentLines(fields, fieldLines(fields), []);
      for (const value of ['x', '', 'longer than before', 'y']) {
        expect(linesIn(lines, otherAt(places, value))).toBe(fieldLines(otherAt(places, value)));
        expect(linesIn(lines, fields)).toBe(fieldLines(fields));
        for (let at = 0; at < fields.length; at += 1) {
          if (!places.includes(at)) expect(linesIn(lines, otherAt([...places, at], value))).toBeNull();
        }
      }
    }
    for (const places of [
      [1, 3, 5, 7, 9],
      [0, 1],
    ]) {
      const lines = new SentLines(fields, fieldLines(fields), []);
      expect(linesIn(lines, otherAt(places, 'x'))).toBeNull();
      expect(linesIn(lines, otherAt([1], 'x'))).toBe(fieldLines(otherAt([1], 'x')));
    }
  });

  it('are given up where sixteen in a row were others', () => {
    const fields = ['A', 'a', 'B', 'b'];
    const lines = new SentLines(fields, fieldLines(fields), []);
    const miss = (times: number): void => {
      for (let time = 0; time < times; time += 1) expect(linesIn(lines, ['A', 'a'])).toBeNull();
    };
    miss(15);
    expect(linesIn(lines, fields)).toBe(fieldLines(fields));
    miss(16);
    expect(linesIn(lines, fields)).toBeNull();
  });

  it('stay as they were sent, whatever becomes of the list that they were made from', () => {
    const fields = ['A', 'a', 'B', 'b'];
    const lines = new SentLines(fields, fieldLines(fields), []);
    fields[1] = 'z';
    fields.push('C', 'c');
    expect(linesIn(lines, ['A', 'a', 'B', 'b'])).toBe('A: a\r\nB: b\r\n');
    expect(linesIn(lines, fields)).toBeNull();
  });
});
