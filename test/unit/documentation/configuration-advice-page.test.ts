import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { adviceReference } from '../../support/shared/advice-reference.js';

const page = fileURLToPath(new URL('../../../docs/reference/configuration-advice.md', import.meta.url));

it('docs/reference/configuration-advice.md is what the code says (UPDATE_DOCS=1 writes it)', () => {
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, adviceReference());
  expect(readFileSync(page, 'utf8')).toBe(adviceReference());
});
