import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../src/', import.meta.url));

const declared = /^export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|const|class|function|enum) (\w+)/gm;

it('no exported name stands for two things', () => {
  const files = new Map<string, Set<string>>();
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    for (const [, name = ''] of readFileSync(root + file, 'utf8').matchAll(declared)) {
      files.set(name, (files.get(name) ?? new Set()).add(file));
    }
  }
  const shared = [...files]
    .filter(([, where]) => where.size > 1)
    .map(([name, where]) => `${name}: ${[...where].join(', ')}`);
  expect(files.size).toBeGreaterThan(1_000);
  expect(shared).toEqual([]);
});
