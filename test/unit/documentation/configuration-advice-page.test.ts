import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { adviceKinds } from '../../../src/domain/configuration/advice-kinds.js';
import { wrapProse } from '../../support/shared/wrap-prose.js';

const introduction = `# What \`config check\` advises

<!-- Generated from src/domain/configuration/advice-kinds.ts:
UPDATE_DOCS=1 npx vitest run --project unit configuration-advice -->

On this page you look up a warning of \`gateway config check FILE\`. It warns about valid but risky settings. Each warning ends
with its name in brackets. Names never change, so scripts can match them. With \`--strict\` any warning gives exit code 1.

A starting or reloading gateway checks only some of these settings: agents and single sign-on that pass too much, and
unencrypted fetches. \`config check\` reports each of them once.
`;

const section = ([id, { when, why, instead }]: [string, (typeof adviceKinds)[keyof typeof adviceKinds]]): string =>
  `## ${id}\n\n${when} ${why}\n\nInstead: ${instead}.\n`;

/** The page about advice, in Markdown. */
const adviceReference = (): string => wrapProse([introduction, ...Object.entries(adviceKinds).map(section)].join('\n'));

const page = fileURLToPath(new URL('../../../docs/reference/configuration-advice.md', import.meta.url));

it('docs/reference/configuration-advice.md is what the code says (UPDATE_DOCS=1 writes it)', () => {
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, adviceReference());
  expect(readFileSync(page, 'utf8')).toBe(adviceReference());
});
