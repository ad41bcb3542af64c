import { describe, expect, it } from 'vitest';
import { whenFindings as when } from '../../../../../../support/agent/model-findings.js';

describe('an operand of the wrong type', () => {
  it.each([
    [
      'resource.path < "/x"',
      'resource.path < "/x"',
      '"<" takes two longs, two datetimes or two durations, not a value of type string',
      'strings cannot be ordered or added: use ==, like or startsWith',
    ],
    [
      'principal.id > 3',
      'principal.id',
      '">" takes two longs, two datetimes or two durations, not a value of type string',
      'strings cannot be ordered or added: use ==, like or startsWith',
    ],
    [
      'context.claims.n <= "x"',
      '"x"',
      '"<=" takes two longs, two datetimes or two durations, not a value of type string',
      'strings cannot be ordered or added: use ==, like or startsWith',
    ],
    [
      '3 < "4"',
      '"4"',
      '"<" takes two longs, two datetimes or two durations, not a value of type string',
      'did you mean 4?',
    ],
    [
      'decimal("1.0") < decimal("2.0")',
      'decimal("1.0") < decimal("2.0")',
      '"<" takes two longs, two datetimes or two durations, not a value of type decimal',
      'compare decimals with lessThan, lessThanOrEqual, greaterThan and greaterThanOrEqual',
    ],
    [
      'datetime("2026-01-01") < 5',
      'datetime("2026-01-01") < 5',
      '"<" takes two longs, two datetimes or two durations, not values of types datetime and long',
      'compare values of one type',
    ],
    [
      'resource.path && true',
      'resource.path',
      '"&&" takes a bool, not a value of type string',
      'compare it with a string, as in == "..." or like "..."',
    ],
    ['false || 1', '1', '"||" takes a bool, not a value of type long', 'compare it with a number, as in == or <'],
    [
      '!resource.path',
      'resource.path',
      '"!" takes a bool, not a value of type string',
      'compare it with a string, as in == "..." or like "..."',
    ],
    [
      'if principal.id then true else false',
      'principal.id',
      '"if" takes a bool, not a value of type string',
      'compare it with a string, as in == "..." or like "..."',
    ],
    [
      'resource.path',
      'resource.path',
      'a condition takes a bool, not a value of type string',
      'compare it with a string, as in == "..." or like "..."',
    ],
    ['1', '1', 'a condition takes a bool, not a value of type long', 'compare it with a number, as in == or <'],
    ['"true"', '"true"', 'a condition takes a bool, not a value of type string', 'did you mean true?'],
    [
      'principal.roles',
      'principal.roles',
      'a condition takes a bool, not a value of type set of strings',
      'use contains or isEmpty',
    ],
    [
      'context.claims',
      'context.claims',
      'a condition takes a bool, not a value of type record',
      'name one of its attributes',
    ],
    ['principal', 'principal', 'a condition takes a bool, not a value of type entity', 'compare it with ==, in or is'],
    [
      'resource.path + 1 == 2',
      'resource.path',
      'arithmetic takes longs, not a value of type string',
      'strings cannot be ordered or added: use ==, like or startsWith',
    ],
    ['1 + "2" == 3', '"2"', 'arithmetic takes longs, not a value of type string', 'did you mean 2?'],
    [
      '-resource.path == 1',
      'resource.path',
      '"-" takes longs, not a value of type string',
      'strings cannot be ordered or added: use ==, like or startsWith',
    ],
    [
      'datetime("2026-01-01") + 1 == 2',
      'datetime("2026-01-01")',
      'arithmetic takes longs, not a value of type datetime',
      'add a duration with offset(duration("1h"))',
    ],
  ])('is reported: %s', (condition, at, message, suggestion) => {
    expect(when(condition)).toEqual([{ at, message, suggestion }]);
  });
});

describe('a method on, or with, a value of the wrong type', () => {
  it.each([
    [
      'resource.path.startsWith(1)',
      '1',
      '"startsWith" takes an argument of type string, not a value of type long',
      'did you mean "1"?',
    ],
    [
      'resource.path.contains(1)',
      '1',
      '"contains" takes an argument of type string, not a value of type long',
      'did you mean "1"?',
    ],
    [
      'principal.id.lessThan(decimal("1.0"))',
      'principal.id.lessThan(decimal("1.0"))',
      '"lessThan" takes a value of type decimal, not a value of type string',
      'put a value of type decimal before it',
    ],
    [
      'resource.path.toDate()',
      'resource.path.toDate()',
      '"toDate" takes a value of type datetime, not a value of type string',
      'put a value of type datetime before it',
    ],
    [
      'decimal("1.0").lessThan("2.0")',
      '"2.0"',
      '"lessThan" takes an argument of type decimal, not a value of type string',
      'did you mean decimal("2.0")?',
    ],
    [
      'context.client_ip.isLoopback(1)',
      'context.client_ip.isLoopback(1)',
      '"isLoopback" takes no argument, not 1',
      'write it as isLoopback()',
    ],
    [
      'context.client_ip.isInRange()',
      'context.client_ip.isInRange()',
      '"isInRange" takes one argument, not 0',
      'write it as isInRange(..)',
    ],
    [
      'context.claims.contains("admin")',
      'context.claims.contains("admin")',
      '"contains" takes a value of type set or string, not a value of type record',
      'name one of its attributes',
    ],
    [
      'resource.path is Resource',
      'resource.path is Resource',
      '"is" takes a value of type entity, not a value of type string',
      'put a value of type entity before it',
    ],
    [
      'datetime("2026-01-01").toTime().toHours()',
      'datetime("2026-01-01").toTime().toHours()',
      'a condition takes a bool, not a value of type long',
      expect.any(String),
    ],
  ])('is reported: %s', (condition, at, message, suggestion) => {
    expect(when(condition)).toEqual([{ at, message, suggestion }]);
  });
});
