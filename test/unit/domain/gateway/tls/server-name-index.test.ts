import { describe, expect, it } from 'vitest';
import { indexOfServerName, serverNameIndex } from '../../../../../src/domain/gateway/tls/server-name-index.js';

const chosen = (certificates: readonly (readonly string[])[], name: string): number =>
  indexOfServerName(serverNameIndex(certificates), name);

describe('the certificate for a server name', () => {
  const certificates = [
    ['first.example'],
    ['*.shop.example', 'shop.example'],
    ['pay.shop.example'],
    ['UPPER.example', 'dotted.example.'],
  ];

  it.each([
    ['first.example', 0],
    ['shop.example', 1],
    ['www.shop.example', 1],
    ['pay.shop.example', 2],
    ['PAY.Shop.Example', 2],
    ['upper.example', 3],
    ['dotted.example', 3],
    ['upper.example.', 3],
    ['www.shop.example.', 1],
  ])('for %s is number %i', (name, certificate) => {
    expect(chosen(certificates, name)).toBe(certificate);
  });

  it.each([
    'other.example',
    'a.b.shop.example',
    'xshop.example',
    '.shop.example',
    '',
    '.',
    '*.first.example',
    'localhost',
  ])('for "%s", which none is for, is the first', (name) => {
    expect(chosen([['first.example'], ...certificates.slice(1)], name)).toBe(0);
  });

  it('is the first of those with the same name', () => {
    expect(chosen([['a.example'], ['b.example', '*.c.example'], ['b.example', '*.c.example']], 'b.example')).toBe(1);
    expect(chosen([['a.example'], ['*.c.example'], ['*.c.example']], 'x.c.example')).toBe(1);
  });

  it.each(['w*.b.example', '*', '*.', 'a.*.example', '*.*.example', ''])('is never one for "%s"', (odd) => {
    for (const name of ['www.b.example', 'a.b.example', 'b.example', 'example', 'a.x.example', odd]) {
      expect(chosen([['first.example'], [odd]], name)).toBe(0);
    }
  });
});
