import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { claimedNames } from '../../../src/domain/http/field-traits.js';

it('the guide to proxying lists every field in which proxies describe a client', () => {
  const guide = readFileSync('docs/guides/proxying.md', 'utf8');
  const [, section = ''] = guide.split('### Client headers of proxies\n');
  const [list = ''] = section.split('\n\n').filter((paragraph) => paragraph.startsWith('`'));
  expect(list.replace(/[`.]/g, '').toLowerCase().split(/,\s+/)).toEqual(claimedNames);
});
