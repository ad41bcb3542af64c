import { describe, expect, it } from 'vitest';
import { isAbsoluteUri } from '../../../../src/domain/http/absolute-uri.js';

describe('an absolute URI', () => {
  it.each([
    'https://api.example',
    'https://api.example/',
    'https://api.example:8443/orders?tenant=a&x=/?',
    'https://user:p%40ss@api.example/',
    'HTTP://[2001:db8::1]:80/a',
    'https://192.0.2.1',
    'https://api.example:/a',
    'urn:example:cooperation-context',
    'urn:ietf:params:oauth:token-type:jwt',
    'tag:example.com,2024:a',
    'file:///etc/services',
    'mailto:a@example.com',
    'spiffe://trust.example/ns/a',
    'a+b-c.d:/x',
    'x:',
    'x:a//b',
    'https://api.example/%E2%82%AC;v=1//..',
  ])('is one: %s', (uri) => {
    expect(isAbsoluteUri(uri)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['no scheme', '//api.example/a'],
    ['a path', '/orders'],
    ['a name', 'orders'],
    ['an empty scheme', '://api.example'],
    ['a scheme that begins with a digit', '1a:b'],
    ['a scheme with something else', 'a_b:c'],
    ['a colon behind the path', 'a/b:c'],
    ['a fragment', 'https://api.example/#a'],
    ['an empty fragment', 'https://api.example/#'],
    ['a space', 'https://api.example/a b'],
    ['a space at its end', 'https://api.example '],
    ['a line end', 'https://api.example/\n'],
    ['a quote', 'https://api.example/"'],
    ['angle brackets', '<https://api.example>'],
    ['braces', 'https://api.example/{id}'],
    ['a backslash', 'https:\\\\api.example'],
    ['a letter beyond ASCII', 'https://api.example/ä'],
    ['a broken escape', 'https://api.example/%4'],
    ['a broken escape in the query', 'https://api.example/?%zz'],
    ['a broken escape at the end of the authority', 'https://api.exampl%e/41'],
    ['brackets in a path', 'https://api.example/[1]'],
    ['brackets in a query', 'https://api.example/?a[]=1'],
    ['brackets without an address', 'https://[]/'],
    ['brackets around a name', 'https://[api.example]/'],
    ['brackets around an IPv4 address', 'https://[192.0.2.1]/'],
    ['brackets that do not end', 'https://[::1/'],
    ['something behind the brackets', 'https://[::1]a/'],
    ['a zone', 'https://[fe80::1%25eth0]/'],
    ['a port that is no number', 'https://api.example:80a/'],
    ['two ports', 'https://api.example:80:81/'],
    ['two at signs', 'https://a@b@api.example/'],
  ])('is none with %s', (_, text) => {
    expect(isAbsoluteUri(text)).toBe(false);
  });
});
