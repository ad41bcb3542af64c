import { describe, expect, it } from 'vitest';
import { acceptTracestate } from '../../../../../src/domain/gateway/tracing/trace-fields.js';

const members = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}=v`).join(',');

describe('acceptTracestate', () => {
  it.each([
    [['a=1'], 'a=1'],
    [['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'], 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    [['a=1', 'b=2'], 'a=1,b=2'],
    [['a=1 ,\tb=2,, ,c=3'], 'a=1,b=2,c=3'],
    [['0tenant@system_-*/=x'], '0tenant@system_-*/=x'],
    [['a= b c'], 'a= b c'],
    [['a=!~'], 'a=!~'],
    [[`${'k'.repeat(255)}=${'v'.repeat(256)}`], `${'k'.repeat(255)}=${'v'.repeat(256)}`],
    [[members(32)], members(32)],
  ])('forwards %j', (lines, accepted) => {
    expect(acceptTracestate(lines)).toBe(accepted);
  });

  it.each([
    [[]],
    [['']],
    [[' , ,']],
    [['a']],
    [['a=']],
    [['=1']],
    [['a=1=2']],
    [['A=1']],
    [['@a=1']],
    [['a b=1']],
    [['a=1,a=2']],
    [['a=1', 'a=2']],
    [['a=\u00e9']],
    [['a=\u0007']],
    [[`${'k'.repeat(257)}=1`]],
    [[`a=${'v'.repeat(257)}`]],
    [[members(33)]],
    [[`a=${'v'.repeat(255)},b=${'v'.repeat(253)}`]],
    [Array.from({ length: 1_000 }, () => '')],
  ])('drops %j', (lines) => {
    expect(acceptTracestate(lines)).toBeNull();
  });

  it('allows exactly 512 characters', () => {
    const one = `a=${'v'.repeat(255)}`;
    expect(acceptTracestate([`${one},b=${'v'.repeat(252)}`])).toHaveLength(512);
    expect(acceptTracestate([one, `b=${'v'.repeat(252)}`])).toHaveLength(512);
    expect(acceptTracestate([`${one},b=${'v'.repeat(253)}`])).toBeNull();
    expect(acceptTracestate([one, `b=${'v'.repeat(253)}`])).toBeNull();
  });
});
