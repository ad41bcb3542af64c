import { describe, expect, it } from 'vitest';
import {
  dateOf,
  durationSince,
  offsetDatetime,
  parseDatetime,
  timeOf,
} from '../../../../../../src/domain/agent/policy/extensions/datetime.js';
import type { DatetimeValue, DurationValue, Long } from '../../../../../../src/domain/agent/policy/values/value.js';

const msOf = (text: string): Long | null => parseDatetime(text)?.ms ?? null;
const time = (ms: Long): DatetimeValue => ({ kind: 'datetime', ms });
const duration = (ms: Long): DurationValue => ({ kind: 'duration', ms });
const least = -(2n ** 63n);
const greatest = 2n ** 63n - 1n;

describe('parseDatetime', () => {
  it('reads every day from year 0 to year 9999 as JavaScript does', () => {
    for (let ms = Date.UTC(2000, 0, 1); ms < Date.UTC(2009, 0, 1); ms += 86_400_000) {
      expect(msOf(new Date(ms).toISOString().slice(0, 10))).toBe(ms);
    }
    for (let year = 0; year <= 9999; year += 7) {
      for (const day of ['01-01', '02-28', '03-01', '12-31']) {
        const text = `${String(year).padStart(4, '0')}-${day}`;
        if (msOf(text) !== Date.parse(text)) expect.fail(text);
      }
    }
  });

  it('reads times, milliseconds and offsets', () => {
    expect(msOf('2024-10-15T11:38:02Z')).toBe(Date.parse('2024-10-15T11:38:02Z'));
    expect(msOf('2024-10-15T11:38:02.101Z')).toBe(Date.parse('2024-10-15T11:38:02.101Z'));
    expect(msOf('2024-10-15T11:38:02.101+1134')).toBe(Date.parse('2024-10-15T00:04:02.101Z'));
    expect(msOf('2024-10-15T11:38:02-1134')).toBe(Date.parse('2024-10-15T23:12:02Z'));
    expect(msOf('2024-10-15T23:59:59.999-2359')).toBe(Date.parse('2024-10-16T23:58:59.999Z'));
    expect(msOf('1970-01-01T00:00:00+0000')).toBe(0);
  });

  it('accepts leap days', () => {
    for (const year of ['0000', '0004', '1600', '2000', '2024']) expect(msOf(`${year}-02-29`), year).not.toBeNull();
    for (const year of ['0001', '1700', '1900', '2023', '2100']) expect(msOf(`${year}-02-29`), year).toBeNull();
  });

  it('refuses every other form, and dates and times that do not exist', () => {
    for (const text of [
      '',
      '2024',
      '2024-1-01',
      '24-01-01',
      '10000-01-01',
      '-2024-01-01',
      '2024/01/01',
      '2024-00-01',
      '2024-13-01',
      '2024-01-00',
      '2024-01-32',
      '2024-04-31',
      '2024-01-01Z',
      ' 2024-01-01',
      '2024-01-01 ',
      '2024-01-01T',
      '2024-01-01T00:00Z',
      '2024-01-01T00:00:00',
      '2024-01-01t00:00:00Z',
      '2024-01-01T00:00:00z',
      '2024-01-01 00:00:00Z',
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:60:00Z',
      '2016-12-31T23:59:60Z',
      '2024-01-01T00:00:00.Z',
      '2024-01-01T00:00:00.1Z',
      '2024-01-01T00:00:00.1234Z',
      '2024-01-01T00:00:00.123',
      '2024-01-01T00:00:00,123Z',
      '2024-01-01T00:00:00ZZ',
      '2024-01-01T00:00:00+01:00',
      '2024-01-01T00:00:00+01',
      '2024-01-01T00:00:00+01000',
      '2024-01-01T00:00:00+0100Z',
      '2024-01-01T00:00:00+2400',
      '2024-01-01T00:00:00+0060',
      '2024-01-01T00:00:00*0100',
      '2024-01-01T00:00:00Z+0100',
      '2024-01-01T00:00:00Z\n',
      '２０２４-01-01',
    ]) {
      expect(msOf(text), JSON.stringify(text)).toBeNull();
    }
  });
});

describe('datetimes', () => {
  it('support offset and difference within 64 bits', () => {
    expect(offsetDatetime(time(1000), duration(-3000))).toEqual(time(-2000));
    expect(offsetDatetime(time(greatest), duration(1))).toBeNull();
    expect(offsetDatetime(time(least), duration(-1))).toBeNull();
    expect(durationSince(time(1000), time(3000))).toEqual(duration(-2000));
    expect(durationSince(time(least), time(1))).toBeNull();
    expect(durationSince(time(0), time(least))).toBeNull();
  });

  it('have an earlier or equal date and a non-negative time of day', () => {
    expect(dateOf(time(86_400_001))).toEqual(time(86_400_000));
    expect(dateOf(time(-1))).toEqual(time(-86_400_000));
    expect(dateOf(time(-86_400_000))).toEqual(time(-86_400_000));
    expect(timeOf(time(-1))).toEqual(duration(86_399_999));
    expect(timeOf(time(-86_400_000))).toEqual(duration(0));
    expect(timeOf(time(90_000_000))).toEqual(duration(3_600_000));
    expect(timeOf(time(least))).toEqual(duration(60_424_192));
    expect(dateOf(time(least))).toBeNull();
    expect(dateOf(time(greatest))).toEqual(time(greatest - (greatest % 86_400_000n)));
  });
});
