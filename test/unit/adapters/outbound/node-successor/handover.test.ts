import { describe, expect, it } from 'vitest';
import { handoverVariable, takeHandover } from '../../../../../src/adapters/outbound/node-successor/handover.js';

const taken = (text: string) => takeHandover({ [handoverVariable]: text });

describe('what a program is handed over', () => {
  it('is read, and removed from what its own children see', () => {
    const handover = { predecessor: 12, sockets: [{ key: '127.0.0.1:80', fd: 4 }] };
    const env = { [handoverVariable]: JSON.stringify(handover), PATH: '/bin' };
    expect(takeHandover(env)).toEqual(handover);
    expect(env).toEqual({ PATH: '/bin' });
  });

  it('is nothing where there is no such variable', () => {
    expect(takeHandover({})).toBeNull();
  });

  it.each(['', '{', 'null', '7', '[]', '{"predecessor":"12","sockets":[]}', '{"predecessor":12,"sockets":{}}'])(
    'is nothing where it is %j',
    (text) => {
      expect(taken(text)).toBeNull();
    },
  );

  it('leaves out what is no socket: the standard streams above all', () => {
    const sockets = [null, 7, { key: 'a' }, { key: 1, fd: 4 }, { key: 'a', fd: 1 }, { key: 'a', fd: 4.5 }, { fd: 5 }];
    expect(taken(JSON.stringify({ predecessor: 12, sockets }))).toEqual({ predecessor: 12, sockets: [] });
  });
});
