import { describe, expect, it } from 'vitest';
import { startupErrorText } from '../../../../../src/adapters/inbound/gateway-command-line/startup-error-text.js';

const listenError = (code: string, address: string, port: number): Error =>
  Object.assign(new Error(`listen ${code}`), { code, syscall: 'listen', address, port });

describe('a start that failed', () => {
  it.each([
    [listenError('EADDRINUSE', '127.0.0.1', 8080), 'cannot listen on 127.0.0.1:8080: another program uses the port'],
    [listenError('EADDRINUSE', '::1', 8080), 'cannot listen on [::1]:8080: another program uses the port'],
    [
      listenError('EACCES', '0.0.0.0', 443),
      'cannot listen on 0.0.0.0:443: permission denied for a port below 1024; use a port of 1024 or above, or grant CAP_NET_BIND_SERVICE',
    ],
    [listenError('EACCES', '127.0.0.1', 8080), 'cannot listen on 127.0.0.1:8080: permission denied'],
    [
      listenError('EADDRNOTAVAIL', '192.0.2.1', 8080),
      'cannot listen on 192.0.2.1:8080: this host does not have the address',
    ],
    [listenError('EMFILE', '127.0.0.1', 8080), 'cannot listen on 127.0.0.1:8080: EMFILE'],
    [
      Object.assign(new Error('x'), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'nowhere.invalid' }),
      'cannot listen on nowhere.invalid: the host name cannot be resolved',
    ],
    [new Error('plain'), 'plain'],
    ['thrown text', 'thrown text'],
  ])('is told in one line: %s', (error, text) => {
    expect(startupErrorText(error)).toBe(text);
  });

  it('is one line without control characters', () => {
    expect(startupErrorText(new Error('one\ntwo'))).toBe('one two');
    const named = Object.assign(new Error('x'), { code: 'ENOENT', path: '/nowhere\n/x\u001b[31m' });
    expect(startupErrorText(named)).toBe('cannot read /nowhere /x [31m: the file does not exist');
  });
});
