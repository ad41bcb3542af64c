import { describe, expect, it } from 'vitest';
import { queryParameters } from '../../../../src/domain/http/query-parameters.js';

describe('queryParameters', () => {
  it.each([
    ['', []],
    ['a=1&b=2', ['a', '1', 'b', '2']],
    ['a', ['a', '']],
    ['a=b=c', ['a', 'b=c']],
    ['&&a=1&', ['a', '1']],
    ['=x', ['', 'x']],
    ['a+b=c+d', ['a b', 'c d']],
    ['%61=%2B%26', ['a', '+&']],
    ['a=%', ['a', '%']],
    ['a=%4', ['a', '%4']],
    ['a=%zz%41', ['a', '%zzA']],
    ['a=%c3%a9', ['a', '\u00c3\u00a9']],
    ['a=%ff', ['a', '\u00ff']],
  ])('reads %j', (query, expected) => {
    expect(queryParameters(query)).toEqual(expected);
  });
});
