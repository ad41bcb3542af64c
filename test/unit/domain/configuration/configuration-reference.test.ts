import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configurationReference } from '../../../support/shared/configuration-reference.js';

const page = fileURLToPath(new URL('../../../../docs/reference/configuration.md', import.meta.url));

describe('docs/reference/configuration.md', () => {
  it('is what the schema says (UPDATE_DOCS=1 writes it anew)', () => {
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, configurationReference());
    expect(readFileSync(page, 'utf8')).toBe(configurationReference());
  });
});
