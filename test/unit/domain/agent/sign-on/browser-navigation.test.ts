import { describe, expect, it } from 'vitest';
import { isBrowserNavigation } from '../../../../../src/domain/agent/sign-on/browser-navigation.js';

const chromium = [
  'accept',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
  'sec-fetch-mode',
  'navigate',
  'sec-fetch-site',
  'none',
];

const navigates = (headers: readonly string[], method = 'GET', apiKeyHeader: string | null = 'X-API-Key') =>
  isBrowserNavigation(method, headers, apiKeyHeader === null ? [] : [apiKeyHeader]);

describe('a request counts as browser navigation', () => {
  it.each([
    ['a browser', chromium],
    ['nothing is said of it', []],
    ['any type will do', ['accept', '*/*']],
    ['a page is among the types, in any case', ['Accept', 'application/json, TEXT/HTML;level=1']],
    ['a page is in a second field', ['accept', 'application/json', 'accept', 'text/html']],
    ['Accept names no type', ['accept', ' ,']],
  ])('if %s', (_, headers) => {
    expect(navigates(headers)).toBe(true);
    expect(navigates(headers, 'HEAD')).toBe(true);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'get'])('but not by %s', (method) => {
    expect(navigates(chromium, method)).toBe(false);
  });

  it.each([
    ['other types are wanted alone', ['accept', 'application/json']],
    ['an image is wanted', ['accept', 'image/avif,image/*;q=0.8']],
    ['pages are not wanted', ['accept', 'application/json, text/html;q=0, */*; Q=0.000']],
    ['a script sent it', [...chromium, 'X-Requested-With', 'XMLHttpRequest']],
    ['a script fetches', ['accept', '*/*', 'sec-fetch-mode', 'cors']],
    ['it is no document', ['accept', '*/*', 'Sec-Fetch-Mode', 'no-cors']],
    ['two modes are given', [...chromium, 'sec-fetch-mode', 'cors']],
    ['a token is shown', [...chromium, 'authorization', 'Bearer x']],
    ['an API key is shown', [...chromium, 'x-api-key', 'k']],
  ])('but not if %s', (_, headers) => {
    expect(navigates(headers)).toBe(false);
  });

  it('if a header has the usual API key name, but none is configured', () => {
    expect(navigates([...chromium, 'x-api-key', 'k'], 'GET', null)).toBe(true);
    expect(navigates([...chromium, 'x-api-key', 'k'], 'GET', 'X-Other')).toBe(true);
  });
});
