import { describe, expect, it } from 'vitest';
import { normalisePath } from '../../../../src/domain/http/path-normalisation.js';

const normal = (path: string) => {
  const result = normalisePath(path);
  return result.ok ? result.value : result.error;
};

describe('normalisePath', () => {
  it.each([
    ['/', '/'],
    ['/a/b', '/a/b'],
    ['/a/b/', '/a/b/'],
    ['/.well-known/x', '/.well-known/x'],
    ['/...', '/...'],
    ['/..a/.b', '/..a/.b'],
    ['/a.', '/a.'],
    ['/a;b=1', '/a;b=1'],
    ["/@:!$&'()*+,=[]", "/@:!$&'()*+,=[]"],
    ['/%C3%A9', '/%C3%A9'],
    ['*', '*'],
  ])('leaves the normal path %s as it is', (path, expected) => {
    expect(normal(path)).toBe(expected);
  });

  it.each([
    ['/a/./b', '/a/b'],
    ['/a/../b', '/b'],
    ['/a/..', '/'],
    ['/a/b/..', '/a/'],
    ['/a/b/../', '/a/'],
    ['/a/.', '/a/'],
    ['/a/./', '/a/'],
    ['/.', '/'],
    ['/..', '/'],
    ['/../../etc/passwd', '/etc/passwd'],
    ['/a/../../../b', '/b'],
    ['/%2e%2E/a', '/a'],
    ['/a/%2e%2e/b', '/b'],
    ['/a/.%2e/b', '/b'],
    ['/a/%2e', '/a/'],
  ])('resolves the dot segments of %s', (path, expected) => {
    expect(normal(path)).toBe(expected);
  });

  it.each([
    ['//a', '/a'],
    ['/a//b', '/a/b'],
    ['/a///', '/a/'],
    ['//', '/'],
    ['/a//../b', '/b'],
    ['/a/.//../b', '/b'],
  ])('merges the slashes of %s before it climbs', (path, expected) => {
    expect(normal(path)).toBe(expected);
  });

  it.each([
    ['/%61%2D%7e', '/a-~'],
    ['/%c3%a9', '/%C3%A9'],
    ['/%3f%23', '/%3F%23'],
    ['/%252e%252e/', '/%252e%252e/'],
    ['/%25', '/%25'],
    ['/a{b}|"^`<>', '/a%7Bb%7D%7C%22%5E%60%3C%3E'],
  ])('writes the escapes of %s in one way', (path, expected) => {
    expect(normal(path)).toBe(expected);
  });

  it.each([
    '/a%2fb',
    '/a%2Fb',
    '/a%5cb',
    '/a%5C',
    '/%00',
    '/a\\b',
    '/a/..;/b',
    '/a/..;x=1',
    '/.;',
    '/%2e%2e;/a',
    '/a/..%3B/b',
    '/a/..%3bx=1',
    '/.%3B',
    '/a/%2e%2e%3b/b',
  ])('calls %s unsafe', (path) => {
    expect(normal(path)).toBe('unsafe_path');
  });

  it.each([
    '',
    'a',
    'a/b',
    '**',
    '/%',
    '/%2',
    '/%g0',
    '/%0g',
    '/a%',
    '/a\u0000',
    '/a\n',
    '/a b',
    '/\u007f',
    '/\u00e9',
    '/a?b',
    '/a#b',
  ])('calls %j malformed', (path) => {
    expect(normal(path)).toBe('malformed_request');
  });
});
