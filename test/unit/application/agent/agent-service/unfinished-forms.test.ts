import { describe, expect, it } from 'vitest';
import { formsOf, one } from '../../../../support/agent/posted-forms.js';

describe('forms that never end', () => {
  it('expire after half a minute, and later chunks are refused, not passed', async () => {
    const { begin, take, scheduler } = formsOf();
    begin('a');
    take('a', 'x');
    await scheduler.advance(29_999);
    expect(take('a', 'x')).toEqual({ kind: 'more', isDropped: false });
    await scheduler.advance(1);
    expect(take('a', 'x')).toMatchObject({ kind: 'dropped', request: { event: { correlationId: 'a' } } });
    expect(take('a', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('free their memory when they expire', async () => {
    const { begin, take, scheduler } = formsOf({ octetsOfGroup: 4096 });
    begin('a');
    take('a', 'x');
    begin('b');
    expect(take('b', 'x')).toMatchObject({ kind: 'overloaded' });
    await scheduler.advance(30_000);
    expect(begin('b')).toBe(true);
    expect(take('b', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('block new forms while too many are open: no open form may be forgotten', async () => {
    const { forms, begin, take, scheduler } = formsOf({ droppedForms: 2 });
    begin('a');
    begin('b');
    await scheduler.advance(30_000);
    expect(begin('c')).toBe(false);
    forms.cancel('a', one);
    expect(begin('c')).toBe(true);
    expect(take('b', 'x', true)).toMatchObject({ kind: 'dropped' });
  });

  it('are limited to 32 per address group: a new one is refused, and none of the 32 passes', async () => {
    const { begin, take, scheduler } = formsOf();
    const idOf = (index: number) => `f-${index}`;
    for (let index = 0; index < 32; index += 1) begin(idOf(index), one, `2001:db8::${index}`);
    await scheduler.advance(30_000);
    expect(begin('more', one, '2001:db8::ffff')).toBe(false);
    expect(begin('other', one, '2001:db8:0:1::1')).toBe(true);
    for (let index = 0; index < 32; index += 1) expect(take(idOf(index), 'x', true)).toMatchObject({ kind: 'dropped' });
    expect(begin('more', one, '2001:db8::ffff')).toBe(true);
  });

  it('block only new forms of their own client address', async () => {
    const { forms, begin, take, scheduler } = formsOf({ droppedFormsOfGroup: 2 });
    begin('a');
    begin('b');
    await scheduler.advance(30_000);
    expect(begin('c')).toBe(false);
    expect(begin('c', one, '192.0.2.8')).toBe(true);
    forms.cancel('a', one);
    expect(begin('d')).toBe(true);
    expect(take('c', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('are refused for longer than the longest request lasts, which is a day', async () => {
    const { begin, take, scheduler } = formsOf();
    begin('a');
    await scheduler.advance(24 * 3_600_000 + 30_000);
    expect(take('a', 'x', true)).toMatchObject({ kind: 'dropped' });
  });

  it('are forgotten after eviction', async () => {
    const { begin, take, scheduler } = formsOf({ forms: 1, droppedForms: 1, refusedMs: 600_000 });
    begin('a');
    begin('b');
    expect(begin('c')).toBe(false);
    take('b', 'x', true);
    await scheduler.advance(599_999);
    expect(begin('c')).toBe(false);
    await scheduler.advance(1);
    expect(begin('c')).toBe(true);
    expect(take('a', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('are forgotten even if no end of the request arrives', async () => {
    const { begin, take, scheduler } = formsOf({ droppedForms: 1, refusedMs: 600_000 });
    begin('a');
    await scheduler.advance(629_999);
    expect(begin('b')).toBe(false);
    await scheduler.advance(1);
    expect(scheduler.waiting).toBe(0);
    expect(take('a', 'x')).toEqual({ kind: 'not_awaited' });
    expect(begin('b')).toBe(true);
  });

  it('end with the agent', () => {
    const { forms, begin, take, scheduler } = formsOf();
    begin('a');
    take('a', 'x');
    forms.stop();
    expect(scheduler.waiting).toBe(0);
    expect(take('a', 'x', true)).toMatchObject({ kind: 'dropped' });
    expect(begin('b')).toBe(false);
  });
});
