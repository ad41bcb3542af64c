import { describe, expect, it } from 'vitest';
import { urlParts } from '../../../../src/domain/http/absolute-uri.js';

describe('the parts of a URL', () => {
  it.each([
    ['https://app.example', 'https://app.example', '/'],
    ['https://app.example/', 'https://app.example', '/'],
    ['https://app.example:8443/saml/acs', 'https://app.example:8443', '/saml/acs'],
    ['http://[::1]:80/a/b?c=/d#e', 'http://[::1]:80', '/a/b'],
    ['https://app.example?a=b', 'https://app.example', '/'],
  ])('of %s are its origin and its path', (url, origin, path) => {
    expect(urlParts(url)).toEqual({ origin, path });
    expect(new URL(url).pathname).toBe(path);
  });
});
