import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';

const pages = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(repositoryRoot, 'docs/internals')).map((name) => `docs/internals/${name}`),
  ...readdirSync(join(repositoryRoot, 'docs/decisions')).map((name) => `docs/decisions/${name}`),
];

/** Paths of sources and tests, as in `src/domain/http`; a brace or a star stands for several. */
const namedPaths = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:src|test|scripts|bench|fuzz)\/[\w./-]+)`/g)].map(([, path = '']) => path);

describe('pages for contributors', () => {
  it.each(pages)('%s names files and folders that exist', (page) => {
    const missing = namedPaths(readFileSync(join(repositoryRoot, page), 'utf8')).filter(
      (path) => !existsSync(join(repositoryRoot, path)),
    );
    expect(missing).toEqual([]);
  });

  it('name source files where a change touches them', () => {
    expect(namedPaths(readFileSync(join(repositoryRoot, 'ARCHITECTURE.md'), 'utf8')).length).toBeGreaterThan(30);
  });
});
