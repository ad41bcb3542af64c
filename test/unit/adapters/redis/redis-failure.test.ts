import { SocketClosedUnexpectedlyError } from 'redis';
import { describe, expect, it } from 'vitest';
import { failureClause as clauseFor, isTransient } from '../../../../src/adapters/redis/redis-failure.js';

const purpose = { urlKey: 'session-store-url', content: 'sessions', permissions: 'PING' };
const failureClause = (error: unknown): string => clauseFor(error, purpose);

describe('the clause about a failure of Redis', () => {
  it('is of the first word of an answer alone', () => {
    expect(failureClause(new Error('OOM command not allowed, used by hunter2'))).toBe('its memory is full');
    expect(failureClause(new Error('STRANGE hunter2'))).toBe('it answered STRANGE');
    expect(failureClause(new Error('ERR unknown command hunter2'))).toBe('it answered ERR');
  });

  it('names the configuration key, and the permissions that are missing', () => {
    expect(failureClause(new Error('WRONGPASS hunter2'))).toBe(
      'it refused the user or the password in session-store-url',
    );
    expect(failureClause(new Error('NOPERM hunter2'))).toBe('its user lacks permissions for sessions: PING');
    expect(failureClause(new Error('WRONGTYPE hunter2'))).toBe('it has unexpected values under the keys of sessions');
  });

  it('is of the code of a failing socket', () => {
    expect(failureClause(Object.assign(new Error('connect hunter2'), { code: 'ECONNREFUSED' }))).toBe(
      'connection refused',
    );
    expect(failureClause(Object.assign(new Error('hunter2'), { code: 'EMFILE' }))).toBe('connection failed (EMFILE)');
  });

  it('repeats nothing of an unknown error', () => {
    for (const error of [new Error('hunter2'), new Error(''), 'hunter2', null, undefined, { message: 'hunter2' }]) {
      expect(failureClause(error)).toBe('connection lost');
    }
  });
});

describe('a transient failure of Redis', () => {
  it('is a connection that was closed in order or refused, and no unknown error', () => {
    expect(isTransient(new SocketClosedUnexpectedlyError())).toBe(true);
    expect(isTransient(Object.assign(new Error('hunter2'), { code: 'ECONNREFUSED' }))).toBe(true);
    for (const error of [new Error('Socket closed unexpectedly'), new Error('WRONGPASS no'), null]) {
      expect(isTransient(error)).toBe(false);
    }
  });
});
