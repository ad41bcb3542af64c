import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { adviceKinds } from '../../../src/domain/configuration/advice-kinds.js';

const introduction = `# What \`config check\` advises

<!-- Made from src/domain/configuration/advice-kinds.ts by the unit tests: UPDATE_DOCS=1 npx vitest run --project unit configuration-advice -->

\`gateway config check FILE\` warns of what a gateway runs with and should not. Each warning ends with its name in brackets;
the names never change, so that scripts can look for them. \`--strict\` makes every warning a reason to end with 1.

A gateway that starts or reloads looks for some of this alone: agents and single sign-on that let pass what they should not,
and what is fetched in the clear. \`config check\` says it once.
`;

const section = ([id, { when, why, instead }]: [string, (typeof adviceKinds)[keyof typeof adviceKinds]]): string =>
  `## ${id}\n\n${when} ${why}\n\nInstead: ${instead}.\n`;

/** The page about advice, in Markdown. */
const adviceReference = (): string => [introduction, ...Object.entries(adviceKinds).map(section)].join('\n');

const page = fileURLToPath(new URL('../../../docs/reference/configuration-advice.md', import.meta.url));

it('docs/reference/configuration-advice.md is what the code says (UPDATE_DOCS=1 writes it)', () => {
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, adviceReference());
  expect(readFileSync(page, 'utf8')).toBe(adviceReference());
});
