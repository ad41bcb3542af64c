import { describe, expect, it } from 'vitest';
import { takeSystemdSockets } from '../../../../../src/adapters/outbound/node-listening-sockets/systemd-sockets.js';

const pid = 12;

describe('the sockets of a service manager', () => {
  it('begin at descriptor 3, with their names', () => {
    const env = { LISTEN_PID: '12', LISTEN_FDS: '3', LISTEN_FDNAMES: 'main::admin', PATH: '/bin' };
    expect(takeSystemdSockets(env, pid)).toEqual({
      sockets: [
        { fd: 3, key: null, name: 'main' },
        { fd: 4, key: null, name: null },
        { fd: 5, key: null, name: 'admin' },
      ],
      warning: null,
    });
    expect(env).toEqual({ PATH: '/bin' });
  });

  it('may have no names', () => {
    const { sockets } = takeSystemdSockets({ LISTEN_PID: '12', LISTEN_FDS: '1' }, pid);
    expect(sockets).toEqual([{ fd: 3, key: null, name: null }]);
  });

  it('are none where it passed none', () => {
    expect(takeSystemdSockets({}, pid)).toEqual({ sockets: [], warning: null });
  });

  it('are not taken from another process, with a word on how that came', () => {
    const { sockets, warning } = takeSystemdSockets({ LISTEN_PID: '11', LISTEN_FDS: '1' }, pid);
    expect(sockets).toEqual([]);
    expect(warning).toContain('ExecStart=');
  });

  it.each(['', '-1', 'x', '1e3', '2000', '99999999999999999999'])('are not taken where their number is %j', (count) => {
    const { sockets, warning } = takeSystemdSockets({ LISTEN_PID: '12', LISTEN_FDS: count }, pid);
    expect(sockets).toEqual([]);
    expect(warning).toContain('LISTEN_FDS');
  });
});
