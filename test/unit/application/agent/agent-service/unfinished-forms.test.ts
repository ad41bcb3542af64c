import { describe, expect, it } from 'vitest';
import { formsOf, one } from '../../../../support/agent/posted-forms.js';

describe('forms that never end', () => {
  it('are dropped after half a minute, and what still comes is refused, not let through', async () => {
    const { begin, take, scheduler } = formsOf();
    begin('a');
    take('a', 'x');
    await scheduler.advance(29_999);
    expect(take('a', 'x')).toEqual({ kind: 'more' });
    await scheduler.advance(1);
    expect(take('a', 'x')).toMatchObject({ kind: 'dropped', request: { event: { correlationId: 'a' } } });
    expect(take('a', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('make room for others when they are dropped', async () => {
    const { begin, take, scheduler } = formsOf({ octetsOfGroup: 4096 });
    begin('a');
    take('a', 'x');
    begin('b');
    expect(take('b', 'x')).toMatchObject({ kind: 'overloaded' });
    await scheduler.advance(30_000);
    expect(begin('b')).toBe(true);
    expect(take('b', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('keep new ones out where too many of them are still open: none may be forgotten', async () => {
    const { forms, begin, take, scheduler } = formsOf({ droppedForms: 2 });
    begin('a');
    begin('b');
    await scheduler.advance(30_000);
    expect(begin('c')).toBe(false);
    forms.cancel('a', one);
    expect(begin('c')).toBe(true);
    expect(take('b', 'x', true)).toMatchObject({ kind: 'dropped' });
  });

  it('are 32 of one address group at most: then no new one of it is awaited, and none of the 32 gets through', async () => {
    const { begin, take, scheduler } = formsOf();
    const idOf = (index: number) => `f-${index}`;
    for (let index = 0; index < 32; index += 1) begin(idOf(index), one, `2001:db8::${index}`);
    await scheduler.advance(30_000);
    expect(begin('more', one, '2001:db8::ffff')).toBe(false);
    expect(begin('other', one, '2001:db8:0:1::1')).toBe(true);
    for (let index = 0; index < 32; index += 1) expect(take(idOf(index), 'x', true)).toMatchObject({ kind: 'dropped' });
    expect(begin('more', one, '2001:db8::ffff')).toBe(true);
  });

  it('keep out new ones of their own client address alone, where that has many of them open', async () => {
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

  it('that made way are forgotten in the end as well', async () => {
    const { begin, take, scheduler } = formsOf({ forms: 1, droppedForms: 1 });
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

  it('are forgotten in the end, where nobody says that the request is over', async () => {
    const { begin, take, scheduler } = formsOf({ droppedForms: 1 });
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
