import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { claimedNames } from '../../../src/domain/http/field-traits.js';

it('what proxies say of a client is told in the guide, name by name', () => {
  const guide = readFileSync('docs/guides/proxying.md', 'utf8');
  const [, section = ''] = guide.split('### What proxies say of a client\n');
  const [line = ''] = section.split('\n').filter((text) => text.startsWith('`'));
  expect(line.replace(/[`.]/g, '').toLowerCase().split(', ')).toEqual(claimedNames);
});
