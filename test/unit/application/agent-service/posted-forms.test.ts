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
  const begin = (id: string, connection = one, clientIp = '192.0.2.7') => {
    const event = headersEvent(id, { method: 'POST' });
    return forms.begin({ ...event, metadata: { ...event.metadata, clientIp } }, connection);
  };
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

  it('are so many at a time: the one that has waited longest without octets makes way for one more', () => {
    const { begin, take } = formsOf({ forms: 3 });
    for (const id of ['a', 'b', 'c']) expect(begin(id)).toBe(true);
    take('a', 'x');
    take('b', '');
    expect(begin('d')).toBe(true);
    expect(take('b', 'x')).toMatchObject({ kind: 'dropped', event: { correlationId: 'b' } });
    expect(begin('e')).toBe(true);
    expect(take('c', 'x', true)).toMatchObject({ kind: 'dropped' });
    expect(take('a', 'y', true)).toMatchObject({ kind: 'complete', form: text('xy') });
    expect(take('d', 'x', true)).toMatchObject({ kind: 'complete' });
    expect(take('e', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('are 1024 in all, and 32 of one client address, of which the first makes way for one more', () => {
    const { begin, take } = formsOf();
    const idOf = (address: number, index: number) => `f-${address}-${index}`;
    for (let address = 0; address < 32; address += 1) {
      for (let index = 0; index < 32; index += 1) {
        expect(begin(idOf(address, index), one, `192.0.2.${address}`)).toBe(true);
      }
    }
    expect(begin('more', one, '192.0.2.7')).toBe(true);
    expect(take(idOf(7, 0), 'x')).toMatchObject({ kind: 'dropped' });
    expect(begin('first', one, '192.0.2.100')).toBe(true);
    expect(take(idOf(0, 0), 'x')).toMatchObject({ kind: 'dropped' });
    for (let address = 0; address < 32; address += 1) {
      for (let index = 1; index < 32; index += 1) {
        expect(take(idOf(address, index), 'x', true)).toMatchObject({ kind: 'complete' });
      }
    }
    for (const id of ['more', 'first']) expect(take(id, 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('of one client address never take the place of those of another one', () => {
    const { begin, take } = formsOf({ formsOfAddress: 2 });
    begin('honest', one, '192.0.2.1');
    for (let index = 0; index < 100; index += 1) begin(`f-${index}`, one, '192.0.2.2');
    expect(take('honest', 'x', true)).toMatchObject({ kind: 'complete' });
    expect(take('f-97', 'x', true)).toMatchObject({ kind: 'dropped' });
    expect(take('f-98', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('make room when they end', () => {
    const { forms, begin, take, scheduler } = formsOf({ formsOfAddress: 2 });
    for (let index = 0; index < 10; index += 1) {
      begin(`a-${index}`);
      begin(`b-${index}`);
      expect(take(`a-${index}`, 'x', true)).toMatchObject({ kind: 'complete' });
      forms.cancel(`b-${index}`, one);
    }
    expect(scheduler.waiting).toBe(0);
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
    const { begin, take, scheduler } = formsOf({ totalOctets: 4096 });
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

  it('keep out new ones of their own client address alone, where that has many of them open', async () => {
    const { forms, begin, take, scheduler } = formsOf({ droppedFormsOfAddress: 2 });
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
