import { describe, expect, it } from 'vitest';
import { settingsToJson } from '../../../../../src/domain/configuration/setting/setting-json.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';

describe('the JSON of a config block', () => {
  it.each<readonly [string, JsonObject]>([
    ['a "x"', { a: 'x' }],
    ['a 1 #null #true', { a: [1, null, true] }],
    ['a', { a: true }],
    ['a { }', { a: {} }],
    ['a { b 1; c }', { a: { b: 1, c: true } }],
    ['a b=1', { a: { b: 1 } }],
    ['a b=1 { c 2 }', { a: { b: 1, c: 2 } }],
    ['oidc "corp" { issuer "x" }', { oidc: { name: 'corp', issuer: 'x' } }],
    ['oidc "corp" issuer="x"', { oidc: { name: 'corp', issuer: 'x' } }],
    ['oidc "a" "b" { issuer "x" }', { oidc: { name: ['a', 'b'], issuer: 'x' } }],
    ['oidc "a" { name "b" }', { oidc: { name: ['a', 'b'] } }],
    ['a 1; a 2', { a: [1, 2] }],
    ['a { b 1 }; a { b 2 }', { a: [{ b: 1 }, { b: 2 }] }],
    ['attribute-mapping { email "X-User-Email" }', { 'attribute-mapping': { email: 'X-User-Email' } }],
  ])('is, for %s, %j', (text, json) => {
    expect(settingsToJson(settingsOf(text))).toEqual(json);
  });
});
