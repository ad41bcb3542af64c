import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/domain/agent/policy/evaluate/decide.js';
import { checkAgainstModel } from '../../../src/domain/agent/policy/gateway-model/check-against-model.js';
import { gatewayPrincipal } from '../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest } from '../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { parsePolicies } from '../../../src/domain/agent/policy/parse/parse-policies.js';
import { policyLimits } from '../../../src/domain/agent/policy/policy-limits.js';
import { type LoadedPolicies, loadPolicies } from '../../../src/domain/agent/policy/policy-source/load-policies.js';
import { type PolicyVerdict, verdict } from '../../../src/domain/agent/policy/policy-verdict.js';
import { formatProblem } from '../../../src/domain/configuration/configuration-problem.js';
import {
  type DocumentedRow,
  documentedFacts,
  documentedIdentity,
  mistakeOf,
  plain,
  rowsWith,
} from '../../support/agent/documented-policies.js';
import {
  documentationPage,
  documentationPages,
  fencedBlocks,
  repositoryRoot,
} from '../../support/shared/documentation-examples.js';

const pages = documentationPages();
const blocks = pages.flatMap(fencedBlocks).filter(({ info }) => info === 'cedar');
const shippedFolder = join(repositoryRoot, 'config/policies');
const shipped = readdirSync(shippedFolder)
  .filter((name) => name.endsWith('.cedar'))
  .map((name) => ({ name, text: readFileSync(join(shippedFolder, name), 'utf8') }));

/** What is wrong with policies: mistakes of the language, or what the gateway's model can never have. */
const mistakesIn = (text: string): readonly string[] => {
  const policies = parsePolicies(text, 'extended');
  return policies.ok
    ? checkAgainstModel(policies.value).map(({ message }) => message)
    : policies.error.map(({ message }) => message);
};

const loaded = (sources: readonly { readonly name: string; readonly text: string }[]): LoadedPolicies => {
  const policies = loadPolicies(sources, [], 'extended', policyLimits);
  if (!policies.ok) throw new Error(policies.error.map(formatProblem).join('\n'));
  return policies.value;
};

const verdictOf = (row: DocumentedRow): PolicyVerdict => {
  const cell = (name: string): string => plain(row.cells.get(name) ?? '');
  const identity = documentedIdentity(cell('Who'), cell('Claims'));
  const principal = gatewayPrincipal(identity, { principalClaim: 'sub', rolesClaim: 'roles' });
  if (!principal.ok) throw new Error(principal.error);
  const { compiled } = loaded(row.policies.map(({ line, text }) => ({ name: `line-${line}.cedar`, text })));
  const request = gatewayRequest(principal.value, documentedFacts(cell('Request'), cell('From')));
  return verdict(decide(compiled, request), { defaultDecision: 'deny', onError: 'deny' });
};

/** A verdict in the words of the column `By`. */
const told = ({ because, policies }: PolicyVerdict): string => {
  if (because === 'default') return 'default';
  return `${because === 'error' ? 'error in ' : ''}${policies.map((id) => `\`${id}\``).join(', ')}`;
};

const outcomes = pages.flatMap((page) => rowsWith(page, ['Who', 'Request', 'Decision', 'By']));

describe('the policies of the documentation', () => {
  it('are found', () => {
    expect(blocks.length).toBeGreaterThan(15);
    expect(blocks.filter((block) => mistakeOf(block) !== null).length).toBeGreaterThan(1);
    expect(outcomes.length).toBeGreaterThan(40);
  });

  it.each(blocks.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s are right, or wrong as they say',
    (_place, block) => {
      const mistake = mistakeOf(block);
      const mistakes = mistakesIn(block.text);
      if (mistake === null) expect(mistakes).toEqual([]);
      else expect(mistakes).toContainEqual(expect.stringContaining(mistake));
    },
  );

  it.each(outcomes.map((row) => [`${row.page}:${row.line}`, row] as const))('%s decide as it says', (_place, row) => {
    const decided = verdictOf(row);
    expect([decided.decision, told(decided)]).toEqual([row.cells.get('Decision'), row.cells.get('By')]);
  });

  it('would be found to decide otherwise', () => {
    const text = [
      '## One',
      '```cedar',
      '@id("a") permit (principal, action, resource);',
      '```',
      '| Who | Request | Decision | By |',
      '|---|---|---|---|',
      '| `ann` | `GET /x` | deny | default |',
      '## Two',
      '```cedar',
      '@id("b") forbid (principal, action, resource);',
      '```',
      '| Who | Request | Decision | By |',
      '|---|---|---|---|',
      '| `ann` | `GET /x` | allow | `a` |',
    ].join('\n');
    const rows = rowsWith({ name: 'x.md', text }, ['Who', 'Request', 'Decision', 'By']);
    expect(rows.map((row) => told(verdictOf(row)))).toEqual(['`a`', '`b`']);
    expect(mistakesIn('permit (principal, action, resource) when { resource.pth == "/" };')).not.toEqual([]);
    expect(mistakesIn('permit (principal, action);')).not.toEqual([]);
  });
});

describe('the policies that are shipped', () => {
  it('hold no mistake, and name each policy', () => {
    const { policies, unlinkedTemplates } = loaded(shipped);
    expect(checkAgainstModel(policies)).toEqual([]);
    expect(unlinkedTemplates).toEqual([]);
    expect(policies.length).toBeGreaterThan(5);
    expect(policies.filter(({ id, annotations }) => annotations.get('id') !== id)).toEqual([]);
  });

  it('are shown in the guide as they are', () => {
    const guide = fencedBlocks(documentationPage('docs/guides/authorization.md')).map(({ text }) => text);
    for (const name of ['people.cedar', 'guards.cedar']) {
      expect(guide).toContain(shipped.find((file) => file.name === name)?.text);
    }
  });
});
