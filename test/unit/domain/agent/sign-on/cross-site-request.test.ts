import { describe, expect, it } from 'vitest';
import { isCrossSiteRequest, ownOrigin } from '../../../../../src/domain/agent/sign-on/cross-site-request.js';
import { AllowedOrigins } from '../../../../../src/domain/http/allowed-origins.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';

const trusted = new AllowedOrigins(['https://portal.example', 'https://*.apps.example', 'https://spa.example:8443']);

/** What the gateway tells of a request at https://app.example. */
const forwarded = ['host', 'app.example', 'x-forwarded-proto', 'https', 'x-forwarded-host', 'app.example'];

const isRefused = (method: string, headers: readonly string[], base: readonly string[] = forwarded): boolean =>
  isCrossSiteRequest(headersEvent('c-1', { method, headers: [...base, ...headers] }), trusted);

describe('a request that can change something', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'TRACE', 'PROPFIND', 'get', 'M-SEARCH'])(
    'is refused from a page of another site: %s',
    (method) => {
      expect(isRefused(method, ['origin', 'https://evil.example'])).toBe(true);
      expect(isRefused(method, ['origin', 'https://app.example'])).toBe(false);
      expect(isRefused(method, [])).toBe(false);
    },
  );

  it.each(['https://portal.example', 'https://x.apps.example', 'https://y.x.apps.example', 'https://spa.example:8443'])(
    'passes from the listed origin %s',
    (origin) => {
      expect(isRefused('POST', ['origin', origin])).toBe(false);
    },
  );

  it.each([
    'null',
    '',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.',
    'https://app.example/',
    'https://sub.app.example',
    'https://apps.example',
    'https://evilapps.example',
    'https://spa.example',
    'https://app.example, https://evil.example',
    'https://evil.example https://app.example',
    'HTTPS://APP.EXAMPLE',
    'https://app.example@evil.example',
  ])('is refused from %j', (origin) => {
    expect(isRefused('POST', ['origin', origin])).toBe(true);
  });

  it('is refused with two origins, equal or not', () => {
    expect(isRefused('POST', ['origin', 'https://app.example', 'origin', 'https://app.example'])).toBe(true);
    expect(isRefused('POST', ['origin', 'https://app.example', 'origin', 'https://evil.example'])).toBe(true);
  });
});

describe('a request that changes nothing', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('passes from any page: %s', (method) => {
    expect(isRefused(method, ['origin', 'https://evil.example'])).toBe(false);
  });

  it('is refused from a page of another site if it opens a WebSocket', () => {
    const handshake = ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version', '13'];
    expect(isRefused('GET', [...handshake, 'origin', 'https://evil.example'])).toBe(true);
    expect(isRefused('GET', [...handshake, 'origin', 'https://app.example'])).toBe(false);
    expect(isRefused('GET', handshake)).toBe(false);
  });
});

describe('the own origin of a request', () => {
  const origin = (headers: readonly string[], tlsVersion: string | null = null) => {
    const event = headersEvent('c-1', { headers });
    return ownOrigin({ ...event, metadata: { ...event.metadata, tlsVersion } });
  };

  it.each([
    [['host', 'app.example'], 'http://app.example'],
    [['host', 'App.Example:80'], 'http://app.example'],
    [['host', 'app.example:443'], 'http://app.example:443'],
    [['host', '[2001:DB8::1]:8080'], 'http://[2001:db8::1]:8080'],
    [['host', 'inner', 'x-forwarded-host', 'app.example:443', 'x-forwarded-proto', 'https'], 'https://app.example'],
    [
      ['host', 'inner', 'x-forwarded-host', 'app.example:8443', 'x-forwarded-proto', 'https'],
      'https://app.example:8443',
    ],
    [['host', 'app.example', 'x-forwarded-proto', 'https'], 'https://app.example'],
  ])('is what the client sees: %j', (headers, own) => {
    expect(origin(headers)).toBe(own);
  });

  it('has the scheme of the connection without X-Forwarded-Proto', () => {
    expect(origin(['host', 'app.example'], 'TLSv1.3')).toBe('https://app.example');
  });

  it.each([
    [[]],
    [['host', '']],
    [['host', 'a', 'host', 'b']],
    [['host', 'a', 'x-forwarded-host', 'a, b']],
    [['host', 'a', 'x-forwarded-proto', 'http', 'x-forwarded-proto', 'https']],
  ])('is unknown if it is ambiguous: %j', (headers) => {
    expect(origin(headers)).toBeNull();
  });
});
