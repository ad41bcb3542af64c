import { expect, it } from 'vitest';
import { addHeaders } from '../../../../../src/adapters/wire/agent-frames/header-json.js';
import { JsonOctets } from '../../../../../src/adapters/wire/agent-frames/json-octets.js';

const written = (headers: readonly string[]): unknown => {
  const into = new JsonOctets();
  addHeaders(into, headers);
  return JSON.parse(Buffer.from(into.view()).toString());
};

const many = Array.from({ length: 100 }, (_, index) => [`x-${index}`, `"${index}\\`]).flat();

it.each<[string, readonly string[], unknown]>([
  ['no headers', [], {}],
  ['one value for each name', ['a', '1', 'b', 'é"\\\n'], { a: ['1'], b: ['é"\\\n'] }],
  ['all values of a repeated name', ['a', '1', 'b', '2', 'a', '3'], { a: ['1', '3'], b: ['2'] }],
  ['a long list', many, Object.fromEntries(many.flatMap((text, at) => (at % 2 ? [] : [[text, [many[at + 1]]]])))],
])('writes %s', (_, headers, expected) => {
  expect(written(headers)).toEqual(expected);
});
