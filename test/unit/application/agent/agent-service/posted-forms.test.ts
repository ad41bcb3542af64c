import { describe, expect, it } from 'vitest';
import { formsOf, one } from '../../../../support/agent/posted-forms.js';
import { chunkEvent } from '../../../../support/shared/agent-events.js';

const text = (value: string) => new TextEncoder().encode(value);
const other = Symbol('other');

describe('forms that are posted', () => {
  it('are put together of their pieces, with the request that they are of', () => {
    const { begin, take } = formsOf();
    expect(begin('a')).toBe(true);
    expect(take('a', 'SAML')).toEqual({ kind: 'more' });
    expect(take('a', '')).toEqual({ kind: 'more' });
    expect(take('a', 'Response=x', true)).toMatchObject({
      kind: 'complete',
      request: { event: { correlationId: 'a', method: 'POST' } },
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
    expect(take('b', 'x')).toMatchObject({ kind: 'too_large', request: { event: { correlationId: 'b' } } });
    expect(take('b', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('are too large where the first piece says so', () => {
    const { forms, begin } = formsOf();
    begin('a');
    const chunk = chunkEvent('a', { data: text('x'), isLast: false, totalSize: 5_000_000 });
    expect(forms.take(chunk, one)).toMatchObject({ kind: 'too_large' });
  });

  it('take no more memory than all may together: the one makes way that has waited longest for its next octets', () => {
    const { begin, take } = formsOf({ totalOctets: 12_288 }, 8192);
    for (const [index, id] of ['empty', 'a', 'b', 'c', 'd'].entries()) begin(id, one, `192.0.2.${index}`);
    take('a', 'x');
    take('b', 'x');
    take('c', 'x');
    take('a', 'y');
    expect(take('d', 'x')).toEqual({ kind: 'more' });
    expect(take('a', new Uint8Array(4096))).toEqual({ kind: 'more' });
    expect(take('b', 'x')).toMatchObject({ kind: 'dropped', request: { event: { correlationId: 'b' } } });
    expect(take('c', 'x')).toMatchObject({ kind: 'dropped', request: { event: { correlationId: 'c' } } });
    expect(take('d', 'y', true)).toMatchObject({ kind: 'complete', form: text('xy') });
    expect(take('empty', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('never make way for their own octets', () => {
    const { begin, take } = formsOf({ totalOctets: 8192 }, 8192);
    for (const [index, id] of ['a', 'b'].entries()) {
      begin(id, one, `192.0.2.${index}`);
      take(id, 'x');
    }
    expect(take('a', new Uint8Array(4096))).toEqual({ kind: 'more' });
    expect(take('b', 'x')).toMatchObject({ kind: 'dropped' });
    expect(take('a', '', true)).toMatchObject({ kind: 'complete' });
  });

  it('of one address group take four mebibytes: a piece that needs more is refused, and no other form suffers', () => {
    const { forms, begin, take } = formsOf();
    const mebibyte = new Uint8Array(1_048_576).fill(0x61);
    begin('honest', one, '2001:db8:0:1::1');
    take('honest', 'x');
    for (let index = 0; index < 6; index += 1) begin(`f-${index}`, one, `2001:db8::${index}`);
    for (let index = 0; index < 4; index += 1) expect(take(`f-${index}`, mebibyte)).toEqual({ kind: 'more' });
    expect(take('f-4', 'x')).toMatchObject({ kind: 'overloaded', request: { event: { correlationId: 'f-4' } } });
    expect(take('f-4', 'x')).toEqual({ kind: 'not_awaited' });
    expect(take('honest', mebibyte.subarray(1), true)).toMatchObject({ kind: 'complete' });
    forms.cancel('f-0', one);
    expect(take('f-5', mebibyte)).toEqual({ kind: 'more' });
    for (const id of ['f-1', 'f-2', 'f-3', 'f-5']) expect(take(id, '', true)).toMatchObject({ kind: 'complete' });
  });

  it('are so many at a time: the one that has waited longest without octets makes way for one more', () => {
    const { begin, take } = formsOf({ forms: 3 });
    for (const id of ['a', 'b', 'c']) expect(begin(id)).toBe(true);
    take('a', 'x');
    take('b', '');
    expect(begin('d')).toBe(true);
    expect(take('b', 'x')).toMatchObject({ kind: 'dropped', request: { event: { correlationId: 'b' } } });
    expect(begin('e')).toBe(true);
    expect(take('c', 'x', true)).toMatchObject({ kind: 'dropped' });
    expect(take('a', 'y', true)).toMatchObject({ kind: 'complete', form: text('xy') });
    expect(take('d', 'x', true)).toMatchObject({ kind: 'complete' });
    expect(take('e', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('are 1024 in all, and 256 of one client address, of which the first makes way for one more', () => {
    const { begin, take } = formsOf();
    const idOf = (address: number, index: number) => `f-${address}-${index}`;
    for (let address = 0; address < 4; address += 1) {
      for (let index = 0; index < 256; index += 1) {
        expect(begin(idOf(address, index), one, `192.0.2.${address}`)).toBe(true);
      }
    }
    expect(begin('more', one, '192.0.2.3')).toBe(true);
    expect(take(idOf(3, 0), 'x')).toMatchObject({ kind: 'dropped' });
    expect(begin('first', one, '192.0.2.100')).toBe(true);
    expect(take(idOf(0, 0), 'x')).toMatchObject({ kind: 'dropped' });
    for (let address = 0; address < 4; address += 1) {
      for (let index = 1; index < 256; index += 1) {
        expect(take(idOf(address, index), 'x', true)).toMatchObject({ kind: 'complete' });
      }
    }
    for (const id of ['more', 'first']) expect(take(id, 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('make way, where all are taken, in the group that has most of them: one honest form is never it', () => {
    const { begin, take } = formsOf({ forms: 5 });
    begin('honest', one, '192.0.2.1');
    begin('x', one, '192.0.2.2');
    for (let index = 0; index < 3; index += 1) begin(`f-${index}`, one, `2001:db8::${index}`);
    expect(begin('later', one, '192.0.2.3')).toBe(true);
    expect(take('f-0', 'x')).toMatchObject({ kind: 'dropped' });
    expect(begin('x-2', one, '192.0.2.2')).toBe(true);
    expect(take('x', 'x')).toMatchObject({ kind: 'dropped' });
    for (const id of ['honest', 'later', 'x-2', 'f-1', 'f-2']) {
      expect(take(id, 'x', true)).toMatchObject({ kind: 'complete' });
    }
  });

  it('of one client address never take the place of those of another one', () => {
    const { begin, take } = formsOf({ formsOfGroup: 2 });
    begin('honest', one, '192.0.2.1');
    for (let index = 0; index < 30; index += 1) begin(`f-${index}`, one, '192.0.2.2');
    expect(take('honest', 'x', true)).toMatchObject({ kind: 'complete' });
    expect(take('f-27', 'x', true)).toMatchObject({ kind: 'dropped' });
    expect(take('f-28', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('make room when they end', () => {
    const { forms, begin, take, scheduler } = formsOf({ formsOfGroup: 2 });
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
