import { SocketClosedUnexpectedlyError } from 'redis';
import { describe, expect, it } from 'vitest';
import { failureClause, isPassing } from '../../../../../src/adapters/outbound/redis-session-store/redis-failure.js';

describe('the clause about a failure of Redis', () => {
  it('is of the first word of an answer alone', () => {
    expect(failureClause(new Error('OOM command not allowed, used by hunter2'))).toBe('its memory is full');
    expect(failureClause(new Error('STRANGE hunter2'))).toBe('it answers STRANGE');
    expect(failureClause(new Error('ERR unknown command hunter2'))).toBe('it answers ERR');
  });

  it('is of the code of a failing socket', () => {
    expect(failureClause(Object.assign(new Error('connect hunter2'), { code: 'ECONNREFUSED' }))).toBe(
      'connection refused',
    );
    expect(failureClause(Object.assign(new Error('hunter2'), { code: 'EMFILE' }))).toBe('connection failed (EMFILE)');
  });

  it('repeats nothing of an error that nobody knows', () => {
    for (const error of [new Error('hunter2'), new Error(''), 'hunter2', null, undefined, { message: 'hunter2' }]) {
      expect(failureClause(error)).toBe('connection lost');
    }
  });
});

describe('a failure of Redis that may be over by itself', () => {
  it('is a connection that was closed without a word, and nothing that nobody knows', () => {
    expect(isPassing(new SocketClosedUnexpectedlyError())).toBe(true);
    expect(isPassing(Object.assign(new Error('hunter2'), { code: 'ECONNREFUSED' }))).toBe(true);
    for (const error of [new Error('Socket closed unexpectedly'), new Error('WRONGPASS no'), null]) {
      expect(isPassing(error)).toBe(false);
    }
  });
});
