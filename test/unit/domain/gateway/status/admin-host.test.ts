import { describe, expect, it } from 'vitest';
import { isAdminHost } from '../../../../../src/domain/gateway/status/admin-host.js';

describe('the Host of a request to an unguarded admin address', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:9090',
    '192.0.2.7:1',
    'localhost',
    'LOCALHOST:9090',
    '[::1]',
    '[::1]:9090',
    '[FE80::1]:80',
    '[::ffff:127.0.0.1]',
    'Gate.internal:9090',
  ])('may be %s', (host) => {
    expect(isAdminHost([host], 'gate.internal')).toBe(true);
  });

  it.each([
    '',
    ':9090',
    'evil.example',
    'localhost.evil.example',
    'xlocalhost',
    '127.0.0.1.evil.example',
    '127.0.0.256',
    '127.0.0.1.2',
    '127.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '127.0.0.1 ',
    '[evil.example]',
    '[::1].evil.example',
    '[::1',
    '::1',
    'gate.internal.evil',
    'evil.example@127.0.0.1',
  ])('may not be %j', (host) => {
    expect(isAdminHost([host], 'gate.internal')).toBe(false);
  });

  it('may be missing, but not repeated', () => {
    expect(isAdminHost([], 'gate.internal')).toBe(true);
    expect(isAdminHost(['localhost', 'localhost'], 'gate.internal')).toBe(false);
  });
});
