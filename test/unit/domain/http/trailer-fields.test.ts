import { describe, expect, it } from 'vitest';
import { passableTrailers } from '../../../../src/domain/http/trailer-fields.js';

const none = (): boolean => false;

describe('passableTrailers', () => {
  it.each([
    'Transfer-Encoding',
    'Content-Length',
    'Connection',
    'Trailer',
    'TE',
    'Host',
    'Content-Type',
    'Content-Encoding',
    'Content-Range',
    'Authorization',
    'WWW-Authenticate',
    'Proxy-Authenticate',
    'Set-Cookie',
    'Cache-Control',
    'Vary',
    'Location',
    'X-Correlation-Id',
    'Access-Control-Allow-Origin',
    'set_cookie',
    'CONTENT_LENGTH',
  ])('drops %s', (name) => {
    expect(passableTrailers(['X-Sum', '1', name, 'x', 'Server-Timing', '2'], none)).toEqual([
      'X-Sum',
      '1',
      'Server-Timing',
      '2',
    ]);
  });

  it('drops what others have settled, however it is written', () => {
    const settled = (canonical: string): boolean => canonical === 'x-own';
    expect(passableTrailers(['X-Own', '1', 'x_OWN', '2', 'X-Sum', '3'], settled)).toEqual(['X-Sum', '3']);
  });
});
