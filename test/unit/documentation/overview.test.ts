import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';

const docs = join(repositoryRoot, 'docs');

describe('docs/README.md', () => {
  it('lists every page', () => {
    const overview = readFileSync(join(docs, 'README.md'), 'utf8');
    const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    const unlisted = pages.filter((name) => name !== 'README.md' && !overview.includes(`](${name})`));
    expect(unlisted).toEqual([]);
  });
});
