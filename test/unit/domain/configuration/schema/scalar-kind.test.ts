import { describe, expect, it } from 'vitest';
import {
  boolean,
  decimal,
  integer,
  oneOfNumbers,
  seconds,
  size,
  text,
} from '../../../../../src/domain/configuration/schema/scalar-kind.js';
import type { SettingScalar } from '../../../../../src/domain/configuration/setting/setting.js';

const scalar = (value: SettingScalar['value'], hidden = false): SettingScalar => ({ value, position: null, hidden });
const kilobyte = 1024;

describe('a size', () => {
  const kind = size(0, Number.MAX_SAFE_INTEGER);
  it.each<readonly [string | number, number]>([
    [0, 0],
    [77, 77],
    ['77', 77],
    ['77B', 77],
    ['1k', kilobyte],
    ['2KB', 2 * kilobyte],
    ['10MB', 10 * kilobyte ** 2],
    ['10 mib', 10 * kilobyte ** 2],
    ['1GiB', kilobyte ** 3],
  ])('of %j is %i bytes', (written, bytes) => {
    expect(kind.read(scalar(written))).toEqual({ ok: true, value: bytes });
  });

  it.each([
    -1,
    1.5,
    true,
    null,
    '',
    '1.5MB',
    '-1',
    'MB',
    '10 MBs',
    '10TB',
    '1e3',
    ' 1',
    '99999999999999999',
    '9007199254740993',
    '9999999999999GB',
  ])('is not %j', (written) => {
    expect(kind.read(scalar(written)).ok).toBe(false);
  });
});

describe('a number', () => {
  it('keeps to its range', () => {
    const kind = integer(1, 3);
    expect([0, 1, 3, 4, 1.5, Number.NaN, '2', true].map((value) => kind.read(scalar(value)).ok)).toEqual([
      false,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('may be text in a variable', () => {
    expect(integer(1, 3).read(scalar('2', true))).toEqual({ ok: true, value: 2 });
    expect(integer(1, 3).read(scalar('2x', true)).ok).toBe(false);
    expect(integer(0, 3).read(scalar('', true)).ok).toBe(false);
  });

  it('of seconds is read as milliseconds', () => {
    expect(seconds(1, 60).read(scalar(2))).toEqual({ ok: true, value: 2000 });
  });
});

describe('the fault of a value', () => {
  it('shows the value, shortened, unless it is hidden', () => {
    expect(text.read(scalar(5))).toMatchObject({ error: { message: 'must be a string, not 5' } });
    expect(boolean.read(scalar('a'.repeat(200)))).toMatchObject({
      error: { message: `must be #true or #false, not "${'a'.repeat(80)}..."` },
    });
    expect(
      JSON.stringify([boolean, integer(0, 1), size(0, 1)].map((kind) => kind.read(scalar('hush', true)))),
    ).not.toContain('hush');
  });
});

describe('a number with a fraction', () => {
  const kind = decimal(1, 100);
  it.each<readonly [string | number, boolean, number]>([
    [1, false, 1],
    [2.25, false, 2.25],
    [100, false, 100],
    ['2.25', true, 2.25],
    ['007', true, 7],
  ])('is read from %j', (written, hidden, value) => {
    expect(kind.read(scalar(written, hidden))).toEqual({ ok: true, value });
  });

  it.each<readonly [SettingScalar['value'], boolean]>([
    [0.99, false],
    [100.01, false],
    [Number.NaN, false],
    [Number.POSITIVE_INFINITY, false],
    ['2', false],
    [true, false],
    [null, false],
    ['1e2', true],
    ['.5', true],
    ['5.', true],
    ['-1', true],
    ['', true],
  ])('is not %j', (written, hidden) => {
    const read = kind.read(scalar(written, hidden));
    expect(read).toMatchObject({ ok: false, error: { message: expect.stringContaining('a number from 1 to 100') } });
    if (hidden) expect(read).toMatchObject({ error: { message: expect.stringContaining('not what was given') } });
  });
});

describe('one of a few numbers', () => {
  const kind = oneOfNumbers([2, 1], (value) => `cannot be ${value}`);
  it.each<readonly [string | number, boolean, number]>([
    [1, false, 1],
    [2, false, 2],
    ['1', true, 1],
  ])('is read from %j', (written, hidden, value) => {
    expect(kind.read(scalar(written, hidden))).toEqual({ ok: true, value });
  });

  it('has its own message, which hides secrets', () => {
    expect(kind.read(scalar(3))).toEqual({ ok: false, error: { message: 'cannot be 3' } });
    expect(kind.read(scalar('3', true))).toMatchObject({ error: { message: 'must be 2 or 1, not what was given' } });
    expect(kind.read(scalar('1'))).toMatchObject({ error: { message: 'must be 2 or 1, not "1"' } });
  });
});
