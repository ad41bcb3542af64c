import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type DocumentationPage,
  documentationPages,
  proseOf,
  repositoryRoot,
} from '../../support/shared/documentation-examples.js';

/** Targets of the links of a page that stay in the repository. */
const localTargets = (page: DocumentationPage): readonly string[] =>
  [
    ...proseOf(page)
      .replace(/`[^`\n]*`/g, '``')
      .matchAll(/\]\(([^()\s]+)\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/.test(target));

/** The anchors of a page's headings, as GitHub makes them: a second one of a name gets `-1`. */
const anchorsOf = (page: DocumentationPage): ReadonlySet<string> => {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} +(.*)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
    const anchor = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
};

/** What is wrong with a link of a page, or null. */
const linkFault = (page: DocumentationPage, target: string): string | null => {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(repositoryRoot, page.name) : join(repositoryRoot, dirname(page.name), path);
  if (!existsSync(file)) return `${target}: there is no such file`;
  if (relative(repositoryRoot, file).startsWith('..')) return `${target}: it leaves the repository`;
  if (anchor === undefined) return null;
  if (!file.endsWith('.md') || statSync(file).isDirectory()) return `${target}: only pages have anchors`;
  const text = readFileSync(file, 'utf8');
  return anchorsOf({ name: relative(repositoryRoot, file), text }).has(anchor)
    ? null
    : `${target}: there is no such heading`;
};

const faultsOf = (page: DocumentationPage): readonly string[] =>
  localTargets(page).flatMap((target) => linkFault(page, target) ?? []);

const pages = documentationPages();

describe('the links of the documentation', () => {
  it('are found', () => {
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.flatMap(localTargets).length).toBeGreaterThan(20);
  });

  it.each(pages.map((page) => [page.name, page] as const))('%s links to what is there', (_name, page) => {
    expect(faultsOf(page)).toEqual([]);
  });

  it('would be found to be broken', () => {
    const name = 'docs/guides/example.md';
    const text =
      '# Two `words`\n\n[a](nowhere.md) [b](#two-words) [c](#three) [d](https://x.example) [e](../../package.json#x)\n';
    expect(faultsOf({ name: 'README.md', text: '[a](nowhere.md)' })).toHaveLength(1);
    expect(faultsOf({ name, text: '[e](../../package.json#x) [f](../../README.md#no-such-heading)' })).toHaveLength(2);
    expect([...anchorsOf({ name, text })]).toEqual(['two-words']);
  });
});
