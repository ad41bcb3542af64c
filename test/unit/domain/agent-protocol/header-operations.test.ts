import { describe, expect, it } from 'vitest';
import {
  applyHeaderOperations,
  headerOperationsFault,
  maxHeaderOperationCharacters,
  maxHeaderOperations,
} from '../../../../src/domain/agent-protocol/header-operations.js';
import type { HeaderOperation } from '../../../../src/domain/agent-protocol/messages.js';

const headers = ['Host', 'a', 'X-A', '1', 'Accept', '*/*', 'x-a', '2'];
const applied = (...operations: HeaderOperation[]) => {
  const result = applyHeaderOperations(headers, operations);
  return result.ok ? result.value : result.error;
};
const set = (name: string, value: string): HeaderOperation => ({ kind: 'set', name, value });
const add = (name: string, value: string): HeaderOperation => ({ kind: 'add', name, value });
const remove = (name: string): HeaderOperation => ({ kind: 'remove', name });

describe('applyHeaderOperations', () => {
  it('replaces the first field and removes the others', () => {
    expect(applied(set('X-a', '3'))).toEqual(['Host', 'a', 'X-a', '3', 'Accept', '*/*']);
    expect(applied(set('X-B', '3'))).toEqual([...headers, 'X-B', '3']);
  });

  it('adds and removes, in order', () => {
    expect(applied(add('X-A', '3'))).toEqual([...headers, 'X-A', '3']);
    expect(applied(remove('x-A'))).toEqual(['Host', 'a', 'Accept', '*/*']);
    expect(applied(remove('X-A'), add('X-A', '4'), set('X-A', '5'))).toEqual([
      'Host',
      'a',
      'Accept',
      '*/*',
      'X-A',
      '5',
    ]);
  });

  it('does not change its input', () => {
    applied(set('Host', 'b'), remove('Accept'));
    expect(headers).toEqual(['Host', 'a', 'X-A', '1', 'Accept', '*/*', 'x-a', '2']);
  });

  it('may set Host', () => {
    expect(applied(set('Host', 'b'))).toContain('b');
  });

  it.each([
    'Content-Length',
    'transfer-encoding',
    'CONNECTION',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Upgrade',
    'Proxy-Connection',
    'Expect',
    'X-Correlation-Id',
    'Content_Length',
    'Transfer_Encoding',
    'transfer.encoding',
    'PROXY_CONNECTION',
    'X_Correlation_Id',
    'x.correlation-ID',
  ])('ignores operations on %s', (name) => {
    const framed = [...headers, name, '5'];
    for (const operation of [set(name, '0'), add(name, '0'), remove(name)]) {
      expect(applyHeaderOperations(framed, [operation])).toEqual({ ok: true, value: framed });
    }
  });

  it.each(['', 'a b', 'a:', 'a\r\nX', '\u00e9', 'a\0', '(x)'])('calls the name %j malformed', (name) => {
    for (const operation of [set(name, 'v'), add(name, 'v'), remove(name)])
      expect(applied(operation)).toBeTypeOf('string');
  });

  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a\0', '\u001f', '\u007f', '\u0100', '\ud83d\ude00'])(
    'calls the value %j malformed and does not repeat it',
    (value) => {
      const fault = applied(add('X-B', 'fine'), set('X-C', value));
      expect(fault).toBe('the value for X-C contains an invalid character');
    },
  );

  it('accepts non-ASCII octets and tabs in values', () => {
    expect(applied(set('X-B', 'a\tb\u00ff'))).toContain('a\tb\u00ff');
  });

  it('bounds the total length of operations', () => {
    const operations = (octets: number): HeaderOperation[] =>
      [octets / 2, octets - octets / 2 - 2].map((length) => add('X', 'v'.repeat(length)));
    expect(headerOperationsFault(operations(maxHeaderOperationCharacters))).toBeNull();
    expect(headerOperationsFault(operations(maxHeaderOperationCharacters + 2))).toBeTypeOf('string');
  });

  it('bounds the number of operations', () => {
    const many = (count: number) => Array.from({ length: count }, () => add('X', ''));
    expect(applyHeaderOperations([], many(maxHeaderOperations)).ok).toBe(true);
    expect(applyHeaderOperations([], many(maxHeaderOperations + 1)).ok).toBe(false);
  });
});
