import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OidcRefusal } from '../../../src/application/agent/sign-on/oidc/oidc-refusal.js';
import type { FailureReason } from '../../../src/domain/agent/identity/authentication-failure.js';
import { oidcRejections } from '../../../src/domain/agent/oidc/oidc-rejection.js';
import { finalRefreshFailures, retryableRefreshFailures } from '../../../src/domain/agent/oidc/token-refresh.js';
import { proofRejections } from '../../../src/domain/agent/tokens/dpop-proof.js';

const page = (name: string): string => readFileSync(new URL(`../../../docs/guides/${name}`, import.meta.url), 'utf8');

/** Reasons about ID tokens, and those that are no matter of an answer. */
const others = [
  'bad_signature',
  'critical_header',
  'expired',
  'issued_in_future',
  'malformed',
  'missing_expiry',
  'missing_issued_at',
  'not_yet_valid',
  'too_large',
  'unknown_issuer',
  'unknown_key',
  'unusable_subject',
  'wrong_algorithm',
  'wrong_audience',
  'wrong_party',
  'wrong_type',
  'form_too_large',
  'form_timeout',
  'malformed_form',
  'unknown_request',
  'replayed',
  'other_browser',
  'provider_unavailable',
  'store_unavailable',
  'overloaded',
  'cancelled',
  'foreign_host',
] as const satisfies readonly OidcRefusal[];

const reasons: readonly string[] = [...oidcRejections, ...others];

/** Reasons of access tokens, which the page may name besides. */
const tokenReasons: readonly string[] = [
  ...proofRejections,
  ...([
    'bound_token_as_bearer',
    'cross_site_request',
    'inactive',
    'introspection_unavailable',
    'missing_certificate',
    'unbound_token',
    'unknown_confirmation',
    'malformed_confirmation',
    'wrong_certificate',
    'ambiguous_credentials',
  ] satisfies readonly FailureReason[]),
];

const refreshReasons: readonly string[] = [...finalRefreshFailures, ...retryableRefreshFailures];

describe('the results of refreshes', () => {
  it.each(['refreshed', ...refreshReasons])('have a row for %s', (result) => {
    const section = page('oidc-login.md').split('## Keep users signed on')[1]?.split('\n## ')[0] ?? '';
    const cells = [...section.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].map(([, cell]) => cell).join();
    expect(cells).toContain(`\`${result}\``);
  });
});

describe('the threat model of OpenID Connect', () => {
  it.each(reasons)('says what the reason %s is for', (reason) => {
    expect(page('oidc-threat-model.md')).toContain(`\`${reason}\``);
  });

  it('has rows about attacks whose reasons exist', () => {
    const named = [...page('oidc-threat-model.md').matchAll(/\| ((?:`[a-z_]+`(?:, )?)+) \|$/gm)].flatMap(
      ([, cell = '']) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, reason]) => reason),
    );
    expect(named.length).toBeGreaterThan(30);
    for (const reason of named) expect([...reasons, ...tokenReasons, ...refreshReasons]).toContain(reason);
  });

  it('has a row with tests that exist for each attack of RFC 9700 and OpenID Connect Core', () => {
    const files = new Set(
      readdirSync(new URL('../..', import.meta.url), { recursive: true, encoding: 'utf8' }).map((path) =>
        path.replace(/^.*\//, ''),
      ),
    );
    const rows = page('oidc-threat-model.md').matchAll(/^\| (\d+\.\d+) \|.*\| ((?:`[\w.-]+`(?:, )?)+) \|$/gm);
    const tested = new Map(Array.from(rows, ([, section = '', tests = '']) => [section, tests] as const));
    const sections = (chapter: number, last: number) => Array.from({ length: last }, (_, at) => `${chapter}.${at + 1}`);
    expect([...tested.keys()]).toEqual([...sections(4, 17), ...sections(16, 21)]);
    const named = [...tested.values()].flatMap((tests) => Array.from(tests.matchAll(/`([^`]+)`/g), ([, name]) => name));
    expect(named.filter((name) => !files.has(`${name}.test.ts`))).toEqual([]);
  });

  it('and its troubleshooting name reasons that exist', () => {
    const table = page('oidc-login.md').split('## Troubleshooting')[1] ?? '';
    const rows = [...table.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z_]+)`/g)].map(([, reason]) => reason),
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const reason of rows.filter((each) => each !== 'reason')) expect(reasons).toContain(reason);
  });
});
