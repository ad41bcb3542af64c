import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentRejections } from '../../../src/domain/agent/saml/document-rejection.js';

const page = (name: string): string => readFileSync(new URL(`../../../docs/guides/${name}`, import.meta.url), 'utf8');

/** Reasons of refusals that are no matter of the document. */
const others = [
  'malformed_form',
  'form_too_large',
  'form_timeout',
  'unknown_request',
  'other_browser',
  'overloaded',
] as const;

describe('the page on what single sign-on is checked against', () => {
  it.each([...documentRejections, ...others])('says what the reason %s is for', (reason) => {
    expect(page('saml-threat-model.md')).toContain(`\`${reason}\``);
  });
});

describe('the table of what goes wrong', () => {
  it('names reasons that there are', () => {
    const table = page('saml.md').split('## Troubleshooting')[1] ?? '';
    const rows = [...table.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z_]+)`/g)].map(([, reason]) => reason),
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const reason of rows) expect([...documentRejections, ...others]).toContain(reason);
  });
});
