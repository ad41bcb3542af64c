import { describe, expect, it } from 'vitest';
import { formsOf, one } from '../../../../support/agent/posted-forms.js';
import { chunkEvent } from '../../../../support/shared/agent-events.js';

const text = (value: string) => new TextEncoder().encode(value);
const other = Symbol('other');

describe('posted forms', () => {
  it('are assembled from chunks, with their request', () => {
    const { begin, take } = formsOf();
    expect(begin('a')).toBe(true);
    expect(take('a', 'SAML')).toEqual({ kind: 'more', isDropped: false });
    expect(take('a', '')).toEqual({ kind: 'more', isDropped: false });
    expect(take('a', 'Response=x', true)).toMatchObject({
      kind: 'complete',
      request: { event: { correlationId: 'a', method: 'POST' } },
      form: text('SAMLResponse=x'),
    });
  });

  it('can be empty', () => {
    const { begin, take } = formsOf();
    begin('a');
    expect(take('a', '', true)).toMatchObject({ kind: 'complete', form: new Uint8Array(0) });
  });

  it('are no longer awaited once complete', () => {
    const { begin, take, scheduler } = formsOf();
    begin('a');
    take('a', 'x', true);
    expect(take('a', 'y', true)).toEqual({ kind: 'not_awaited' });
    expect(scheduler.waiting).toBe(0);
  });

  it('are distinguished by connection and id, for any chunking', () => {
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

  it('keep their content if the sender reuses its memory', () => {
    const { begin, take } = formsOf();
    const piece = text('good');
    begin('a');
    take('a', piece);
    piece.fill(0x78);
    expect(take('a', '', true)).toMatchObject({ form: text('good') });
  });

  it('are not awaited if no endpoint requested the body', () => {
    expect(formsOf().take('a', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('can have exactly one mebibyte', () => {
    const { begin, take } = formsOf();
    const mebibyte = new Uint8Array(1_048_576).fill(0x61);
    begin('a');
    expect(take('a', mebibyte, true)).toMatchObject({ kind: 'complete' });
    begin('b');
    expect(take('b', mebibyte)).toEqual({ kind: 'more', isDropped: false });
    expect(take('b', 'x')).toMatchObject({ kind: 'too_large', request: { event: { correlationId: 'b' } } });
    expect(take('b', 'x')).toEqual({ kind: 'not_awaited' });
  });

  it('are too large if the first chunk exceeds the limit', () => {
    const { forms, begin } = formsOf();
    begin('a');
    const chunk = chunkEvent('a', { data: text('x'), isLast: false, totalSize: 5_000_000 });
    expect(forms.take(chunk, one)).toMatchObject({ kind: 'too_large' });
  });

  it('share a memory limit: the form idle longest is evicted', () => {
    const { begin, take } = formsOf({ totalOctets: 12_288 }, 8192);
    for (const [index, id] of ['empty', 'a', 'b', 'c', 'd'].entries()) begin(id, one, `192.0.2.${index}`);
    take('a', 'x');
    take('b', 'x');
    take('c', 'x');
    take('a', 'y');
    expect(take('d', 'x')).toEqual({ kind: 'more', isDropped: false });
    expect(take('a', new Uint8Array(4096))).toEqual({ kind: 'more', isDropped: false });
    expect(take('b', 'x')).toMatchObject({ kind: 'dropped', request: { event: { correlationId: 'b' } } });
    expect(take('c', 'x')).toMatchObject({ kind: 'dropped', request: { event: { correlationId: 'c' } } });
    expect(take('d', 'y', true)).toMatchObject({ kind: 'complete', form: text('xy') });
    expect(take('empty', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('never evict themselves', () => {
    const { begin, take } = formsOf({ totalOctets: 8192 }, 8192);
    for (const [index, id] of ['a', 'b'].entries()) {
      begin(id, one, `192.0.2.${index}`);
      take(id, 'x');
    }
    expect(take('a', new Uint8Array(4096))).toEqual({ kind: 'more', isDropped: false });
    expect(take('b', 'x')).toMatchObject({ kind: 'dropped' });
    expect(take('a', '', true)).toMatchObject({ kind: 'complete' });
  });

  it('share four mebibytes per address group: a chunk beyond is refused without affecting other forms', () => {
    const { forms, begin, take } = formsOf();
    const mebibyte = new Uint8Array(1_048_576).fill(0x61);
    begin('honest', one, '2001:db8:0:1::1');
    take('honest', 'x');
    for (let index = 0; index < 6; index += 1) begin(`f-${index}`, one, `2001:db8::${index}`);
    for (let index = 0; index < 4; index += 1)
      expect(take(`f-${index}`, mebibyte)).toEqual({ kind: 'more', isDropped: false });
    expect(take('f-4', 'x')).toMatchObject({ kind: 'overloaded', request: { event: { correlationId: 'f-4' } } });
    expect(take('f-4', 'x')).toEqual({ kind: 'not_awaited' });
    expect(take('honest', mebibyte.subarray(1), true)).toMatchObject({ kind: 'complete' });
    forms.cancel('f-0', one);
    expect(take('f-5', mebibyte)).toEqual({ kind: 'more', isDropped: false });
    for (const id of ['f-1', 'f-2', 'f-3', 'f-5']) expect(take(id, '', true)).toMatchObject({ kind: 'complete' });
  });

  it('have a maximum number: the form idle longest is evicted', () => {
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

  it('are limited to 1024 in total and 256 per client address, and the first ones are evicted', () => {
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

  it('evict from the largest group when full, and never a single honest form', () => {
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

  it('never evict forms of another client address', () => {
    const { begin, take } = formsOf({ formsOfGroup: 2 });
    begin('honest', one, '192.0.2.1');
    for (let index = 0; index < 30; index += 1) begin(`f-${index}`, one, '192.0.2.2');
    expect(take('honest', 'x', true)).toMatchObject({ kind: 'complete' });
    expect(take('f-27', 'x', true)).toMatchObject({ kind: 'dropped' });
    expect(take('f-28', 'x', true)).toMatchObject({ kind: 'complete' });
  });

  it('free their memory when they end', () => {
    const { forms, begin, take, scheduler } = formsOf({ formsOfGroup: 2 });
    for (let index = 0; index < 10; index += 1) {
      begin(`a-${index}`);
      begin(`b-${index}`);
      expect(take(`a-${index}`, 'x', true)).toMatchObject({ kind: 'complete' });
      forms.cancel(`b-${index}`, one);
    }
    expect(scheduler.waiting).toBe(0);
  });

  it('restart if the id is reused', () => {
    const { begin, take, scheduler } = formsOf();
    begin('a');
    take('a', 'old');
    begin('a');
    expect(scheduler.waiting).toBe(1);
    expect(take('a', 'new', true)).toMatchObject({ form: text('new') });
  });

  it('are dropped on cancellation or when their connection ends', () => {
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
