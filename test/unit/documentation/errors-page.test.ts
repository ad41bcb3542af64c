import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorsReference } from '../../support/agent/errors-reference.js';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';

const page = join(repositoryRoot, 'docs/reference/errors.md');

it('docs/reference/errors.md is what the code says (UPDATE_DOCS=1 writes it)', () => {
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, errorsReference());
  expect(readFileSync(page, 'utf8')).toBe(errorsReference());
});
