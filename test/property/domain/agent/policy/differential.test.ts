import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cedarVerdicts, ownVerdicts, type Verdicts } from '../../../../support/agent/policy-engines.js';
import { type PolicyWorld, policyWorld } from '../../../../support/agent/policy-worlds.js';

/**
 * Worlds that are tried: some 2.5 requests each, and 8 policies for each of them. For a long run:
 * `POLICY_DIFFERENTIAL_RUNS=80000 npx vitest run test/property/domain/agent/policy/differential.test.ts`, with
 * `POLICY_DIFFERENTIAL_SEED=<number>` for another seed than the usual one. A failure prints the smallest world in
 * which the two differ; it is kept as a file of test/corpus/policy-regressions.
 */
const runs = Number(process.env['POLICY_DIFFERENTIAL_RUNS'] ?? 400);
const seed = Number(process.env['POLICY_DIFFERENTIAL_SEED'] ?? 20_240_229);
const secondsARun = 0.1;

const regressions = fileURLToPath(new URL('../../../../corpus/policy-regressions/', import.meta.url));

/** What was seen of each kind, so that a run in which nothing happens cannot pass. */
const seen = { decisions: 0, allow: 0, reason: 0, errors: 0, silent: 0, refused: 0 };

const count = (verdicts: Verdicts, { policies }: PolicyWorld): void => {
  if (verdicts === null) seen.refused += 1;
  for (const { decision, reason, errors } of verdicts ?? []) {
    seen.decisions += 1;
    if (decision === 'allow') seen.allow += 1;
    seen.reason += reason.length;
    seen.errors += errors.length;
    seen.silent += policies.length - reason.length - errors.length;
  }
};

describe('this engine and the Cedar engine', () => {
  it(
    'agree on decisions, reasons and errors',
    () => {
      fc.assert(
        fc.property(policyWorld, (world) => {
          const expected = cedarVerdicts(world);
          expect(ownVerdicts(world)).toEqual(expected);
          count(expected, world);
        }),
        { numRuns: runs, seed },
      );
      const { decisions, allow, reason, errors, silent, refused } = seen;
      expect(decisions).toBeGreaterThan(runs);
      expect(allow / decisions).toBeGreaterThan(0.2);
      expect(allow / decisions).toBeLessThan(0.9);
      const verdicts = reason + errors + silent;
      for (const part of [reason, errors, silent]) expect(part / verdicts).toBeGreaterThan(0.15);
      expect(refused / runs).toBeLessThan(0.05);
    },
    10_000 + runs * secondsARun * 1_000,
  );

  it.each(readdirSync(regressions).filter((name) => name.endsWith('.json')))('agree on %s too', (name) => {
    const world = JSON.parse(readFileSync(`${regressions}${name}`, 'utf8')) as PolicyWorld;
    const expected = cedarVerdicts(world);
    expect(expected?.length).toBe(world.requests.length);
    expect(world.requests.length).toBeGreaterThan(0);
    expect(ownVerdicts(world)).toEqual(expected);
  });
});
