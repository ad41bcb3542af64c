import { describe, expect, it } from 'vitest';
import { AllowedOrigins, maxOriginLength } from '../../../../src/domain/http/allowed-origins.js';

/** Origins that look like those of the list below. */
const lookalikes = [
  'null',
  '',
  '*',
  'https://',
  'https://example.org',
  'https://evil-example.org',
  'https://evilexample.org',
  'https://example.org.evil.test',
  'https://a.example.org.evil.test',
  'https://.example.org',
  'https://a..example.org',
  'https://*.example.org',
  'https://a.example.org.',
  'https://A.example.org',
  'https://a.EXAMPLE.org',
  'HTTPS://a.example.org',
  'http://a.example.org',
  'https://a.example.org:443',
  'https://a.example.org:8443',
  'https://a.example.org/',
  'https://a.example.org?',
  'https://a.example.org#',
  'https://a.example.org ',
  ' https://a.example.org',
  'https://evil.test/.example.org',
  'https://evil.test#.example.org',
  'https://evil.test:1.example.org',
  'https://user@a.example.org',
  'https://a.example.org, https://app.example.com',
  'https://a.example.org https://app.example.com',
  'https://b\u00fccher.example.org',
  'https://\u0430pp.example.com',
  'https://xn--pp-8cd.example.com',
  'https://app.example.com.',
  'https://app.example.com:443',
  'https://app.example.com\u0000',
  'https://app.example.comm',
  'https://app.example.co',
  'https://APP.example.com',
  'http://app.example.com',
  'http://app.example.com:3000',
  'chrome-extension://a.example.org',
  'a.example.org',
  '://a.example.org',
  `https://${'a.'.repeat(maxOriginLength / 2)}example.org`,
];

describe('a list of origins', () => {
  const origins = new AllowedOrigins([
    'https://app.example.com',
    'http://localhost:3000',
    'http://[::1]:3000',
    'capacitor://localhost',
    'https://*.example.org',
    'https://*.example.net:8443',
    'https://xn--bcher-kva.example',
  ]);

  it.each([
    'https://app.example.com',
    'http://localhost:3000',
    'http://[::1]:3000',
    'capacitor://localhost',
    'https://a.example.org',
    'https://a.b-c.d_e.example.org',
    'https://example.org.example.org',
    'https://xn--bcher-kva.example.org',
    'https://a.example.net:8443',
    'https://xn--bcher-kva.example',
  ])('answers %s with the same octets', (origin) => {
    expect(origins.answerTo(origin)).toBe(origin);
  });

  it.each(lookalikes)('does not answer %j', (origin) => {
    expect(origins.answerTo(origin)).toBeNull();
  });

  it('compares the port of a wildcard', () => {
    expect(origins.answerTo('https://a.example.net')).toBeNull();
    expect(origins.answerTo('https://a.example.net:8444')).toBeNull();
  });
});

describe('the origin "*"', () => {
  const origins = new AllowedOrigins(['*']);

  it.each(['https://any.test', 'http://127.0.0.1:8080', 'http://[::1]', 'chrome-extension://abcdef'])(
    'answers %s with "*"',
    (origin) => {
      expect(origins.answerTo(origin)).toBe('*');
    },
  );

  it.each([
    'null',
    '',
    '*',
    'https://a.test https://b.test',
    'https://a.test, https://b.test',
    'a.test',
    'HTTPS://A.test',
  ])('does not answer %j', (origin) => {
    expect(origins.answerTo(origin)).toBeNull();
  });
});
