import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../../support/documentation-examples.js';
import { errorsReference } from '../../support/errors-reference.js';

const page = join(repositoryRoot, 'docs/reference/errors.md');

it('docs/reference/errors.md is what the code says (UPDATE_DOCS=1 writes it)', () => {
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, errorsReference());
  expect(readFileSync(page, 'utf8')).toBe(errorsReference());
});
