import { describe, expect, it } from 'vitest';
import { type FormLimits, formLimits, PostedForms } from '../../../../src/application/agent-service/posted-forms.js';
import { chunkEvent, headersEvent } from '../../../support/agent-events.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { ManualScheduler } from '../../../support/manual-scheduler.js';

const text = (value: string) => new TextEncoder().encode(value);
const one = Symbol('one');
const other = Symbol('other');

const formsOf = (limits: Partial<FormLimits> = {}) => {
  const scheduler = new ManualScheduler(new ManualClock());
  const forms = new PostedForms(scheduler, { ...formLimits, ...limits });
  const begin = (id: string, connection = one) => forms.begin(headersEvent(id, { method: 'POST' }), connection);
  const take = (id: string, data: string | Uint8Array, isLast = false, connection = one) =>
    forms.take(chunkEvent(id, { data: typeof data === 'string' ? text(data) : data, isLast }), connection);
  return { forms, scheduler, begin, take };
};

describe('forms that are posted', () => {
  it('are put together of their pieces, with the request that they are of', () => {
    const { begin, take } = formsOf();
    expect(begin('a')).toBe(true);
    expect(take('a', 'SAML')).toEqual({ kind: 'more' });
    expect(take('a', '')).toEqual({ kind: 'more' });
    expect(take('a', 'Response=x', true)).toMatchObject({
      kind: 'complete',
      event: { correlationId: 'a', method: 'POST' },
      form: text('SAMLResponse=x'),
    });
  });

  it('may be empty', () => {
    const { begin, take } = formsOf();
    begin('a');
    expect(take('a', '', true)).toMatchObject({ kind: 'complete', form: new Uint8Array(0) });
  });

  it('are awaited no longer once they are there', () => {
    const { begin, take, scheduler } = formsOf();
    begin('a');
    take('a', 'x', true);
    expect(take('a', 'y', true)).toEqual({ kind: 'not_awaited' });
    expect(scheduler.waiting).toBe(0);
  });

  it('are told apart by connection and id, however their pieces come', () => {
    const { begin, take } = formsOf();
    begin('a', one);
    begin('a', other);
    begin('b', one);
    take('a', '1', false, one);
    take('a', '2', false, other);
    take('b', '3', false, one);
    expect(take('b', '3', true, one)).toMatchObject({ form: text('33') });
    expect(take('a', '2', true, other)).toMatchObject({ form: text('22') });
    expect(take('a', '1', true, one)).toMatchObject({ form: text('11') });
  });

  it('keep what came, though the sender uses its memory again', () => {
    const { begin, take } = formsOf();
    const piece = text('good');
    begin('a');
    take('a', piece);
    piece.fill(0x78);
    expect(take('a', '', true)).toMatchObject({ form: text('good') });
  });

  it('are not awaited where nobody asked for the body', () => {
    expect(formsOf().take('a', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('may have a mebibyte and not an octet more', () => {
    const { begin, take } = formsOf();
    const mebibyte = new Uint8Array(1_048_576).fill(0x61);
    begin('a');
    expect(take('a', mebibyte, true)).toMatchObject({ kind: 'complete' });
    begin('b');
    expect(take('b', mebibyte)).toEqual({ kind: 'more' });
    expect(take('b', 'x')).toMatchObject({ kind: 'too_large', event: { correlationId: 'b' } });
    expect(take('b', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('are too large where the first piece says so', () => {
    const { forms, begin } = formsOf();
    begin('a');
    const chunk = chunkEvent('a', { data: text('x'), isLast: false, totalSize: 5_000_000 });
    expect(forms.take(chunk, one)).toMatchObject({ kind: 'too_large' });
  });

  it('take no more memory than all may together, and make room when they end', () => {
    const { forms, begin, take } = formsOf({ formOctets: 8192, totalOctets: 12_288 });
    begin('a');
    begin('b');
    begin('c');
    begin('d');
    take('a', 'x');
    take('b', 'x');
    take('c', 'x');
    expect(take('d', 'x')).toMatchObject({ kind: 'overloaded', event: { correlationId: 'd' } });
    expect(take('a', new Uint8Array(4096))).toMatchObject({ kind: 'overloaded' });
    forms.cancel('b', one);
    begin('d');
    expect(take('d', new Uint8Array(8000))).toEqual({ kind: 'more' });
    expect(take('c', 'y', true)).toMatchObject({ kind: 'complete', form: text('xy') });
  });

  it('are so many at a time', () => {
    const { forms, begin, take } = formsOf();
    for (let index = 0; index < 256; index += 1) expect(begin(`f-${index}`)).toBe(true);
    expect(begin('late')).toBe(false);
    expect(begin('f-0')).toBe(true);
    take('f-1', '', true);
    expect(begin('late')).toBe(true);
    expect(begin('later')).toBe(false);
    forms.disconnected(one);
    expect(begin('later')).toBe(true);
  });

  it('begin anew where the id is used again', () => {
    const { begin, take, scheduler } = formsOf();
    begin('a');
    take('a', 'old');
    begin('a');
    expect(scheduler.waiting).toBe(1);
    expect(take('a', 'new', true)).toMatchObject({ form: text('new') });
  });

  it('are dropped when nobody waits any more, or their connection has ended', () => {
    const { forms, begin, take, scheduler } = formsOf();
    begin('a', one);
    begin('b', one);
    begin('a', other);
    forms.cancel('a', one);
    forms.cancel('a', Symbol('unknown'));
    forms.cancel('unknown', one);
    expect(take('a', 'x')).toEqual({ kind: 'not_awaited' });
    forms.disconnected(one);
    expect(take('b', 'x')).toEqual({ kind: 'not_awaited' });
    expect(take('a', 'x', true, other)).toMatchObject({ kind: 'complete' });
    expect(scheduler.waiting).toBe(0);
  });
});

describe('forms that never end', () => {
  it('are dropped after half a minute, and what still comes is refused, not let through', async () => {
    const { begin, take, scheduler } = formsOf();
    begin('a');
    take('a', 'x');
    await scheduler.advance(29_999);
    expect(take('a', 'x')).toEqual({ kind: 'more' });
    await scheduler.advance(1);
    expect(take('a', 'x')).toMatchObject({ kind: 'dropped', event: { correlationId: 'a' } });
    expect(take('a', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('make room for others when they are dropped', async () => {
    const { begin, take, scheduler } = formsOf({ forms: 1, totalOctets: 4096 });
    begin('a');
    take('a', 'x');
    expect(begin('b')).toBe(false);
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
