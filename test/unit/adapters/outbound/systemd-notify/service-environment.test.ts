import { describe, expect, it } from 'vitest';
import {
  asVariables,
  takeServiceEnvironment,
} from '../../../../../src/adapters/outbound/systemd-notify/service-environment.js';

describe('what a service manager says of itself', () => {
  it('is read, and removed from what children see', () => {
    const env = { NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '12', PATH: '/bin' };
    expect(takeServiceEnvironment(env, 12)).toEqual({ socket: '/run/n', watchdogUs: 30_000_000 });
    expect(env).toEqual({ PATH: '/bin' });
  });

  it('is nothing where no socket is named', () => {
    expect(takeServiceEnvironment({ WATCHDOG_USEC: '1' }, 12)).toBeNull();
    expect(takeServiceEnvironment({ NOTIFY_SOCKET: '' }, 12)).toBeNull();
  });

  it.each([
    ['another process', { WATCHDOG_USEC: '1000', WATCHDOG_PID: '11' }],
    ['no time', {}],
    ['a time of 0', { WATCHDOG_USEC: '0' }],
    ['no number', { WATCHDOG_USEC: '1s' }],
  ])('does not watch where it names %s', (_, env) => {
    expect(takeServiceEnvironment({ NOTIFY_SOCKET: '/run/n', ...env }, 12)).toEqual({
      socket: '/run/n',
      watchdogUs: null,
    });
  });

  it('goes to a successor without the number of a process', () => {
    expect(asVariables({ socket: '/run/n', watchdogUs: 5 })).toEqual({ NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: '5' });
    expect(asVariables({ socket: '/run/n', watchdogUs: null })).toEqual({ NOTIFY_SOCKET: '/run/n' });
  });
});
