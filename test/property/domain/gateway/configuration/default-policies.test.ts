import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  printedPolicies,
  withDefaultPolicies,
} from '../../../../../src/domain/gateway/configuration/default-policies.js';
import type { HeaderRules } from '../../../../../src/domain/gateway/route-transforms/header-rules.js';
import { canonicalName } from '../../../../../src/domain/http/canonical-name.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import { soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const name = fc.constantFrom('X-A', 'x-a', 'x_a', 'X-B', 'X_B', 'X-C', 'Via');

/** The rules of one block for one direction. */
interface Rules {
  readonly remove: readonly string[];
  /** Null: `#null`. */
  readonly set: readonly (readonly [string, string | null])[];
  readonly add: readonly (readonly [string, string])[];
}

const value: fc.Arbitrary<string> = fc.stringMatching(/^[a-z]{1,3}$/);
const rules: fc.Arbitrary<Rules> = fc.record({
  remove: fc.array(name, { maxLength: 3 }),
  set: fc.uniqueArray(fc.tuple(name, fc.option(value, { nil: null })), {
    maxLength: 3,
    selector: ([each]: readonly [string, string | null]) => canonicalName(each),
  }),
  add: fc.array(fc.tuple(name, value), { maxLength: 3 }),
});

const textOf = (own: Rules | null | undefined): string => {
  if (own === undefined) return '';
  if (own === null) return 'request-headers #null';
  const removed = own.remove.length === 0 ? '' : `; remove ${own.remove.map((each) => `"${each}"`).join(' ')}`;
  const set = own.set.map(([each, text]) => `"${each}" ${text === null ? '#null' : `"${text}"`}`).join('; ');
  const added = own.add.map(([each, text]) => `"${each}" "${text}"`).join('; ');
  return `request-headers { set { ${set} }; add { ${added} }${removed} }`;
};

const configurationOf = (defaults: Rules | null | undefined, own: Rules | null | undefined): string =>
  configurationText({
    agents: '',
    routes: `routes { route "r" { matches { path-prefix "/" }; upstream "echo"; policies { ${textOf(own)} } } }`,
    more: `defaults { policies { ${textOf(defaults)} } }`,
  });

const merged = (defaults: Rules | null | undefined, own: Rules | null | undefined): HeaderRules | null =>
  soundConfiguration(configurationOf(defaults, own)).routes[0]?.policies.requestHeaders ?? null;

/** What the rules say about a header, by canonical name. */
const aboutOf = (effective: HeaderRules | null, canonical: string): readonly string[] => {
  if (effective === null) return [];
  const isAbout = (each: string): boolean => canonicalName(each) === canonical;
  return [
    ...effective.remove.filter(isAbout).map((each) => `remove ${each}`),
    ...effective.set.flatMap((each) => (isAbout(each.name) ? `set ${each.name} ${each.value.parts.join('')}` : [])),
    ...effective.add.flatMap((each) => (isAbout(each.name) ? `add ${each.name} ${each.value.parts.join('')}` : [])),
  ];
};

const namesOf = (own: Rules): ReadonlySet<string> =>
  new Set([...own.remove, ...own.set.map(([each]) => each), ...own.add.map(([each]) => each)].map(canonicalName));

describe('header rules of defaults and of a route', () => {
  it('are those of the route for each header that it names, and those of defaults for every other', () => {
    fc.assert(
      fc.property(rules, rules, (defaults, own) => {
        const [both, alone, standard] = [merged(defaults, own), merged(undefined, own), merged(defaults, undefined)];
        for (const canonical of ['x-a', 'x-b', 'x-c', 'via']) {
          const wanted = namesOf(own).has(canonical) ? alone : standard;
          expect(aboutOf(both, canonical)).toEqual(aboutOf(wanted, canonical));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are the same when the merged configuration is read again', () => {
    fc.assert(
      fc.property(fc.option(rules), fc.option(rules), (defaults, own) => {
        const settings = settingsOf(configurationOf(defaults ?? undefined, own));
        const printed = printedPolicies(settings);
        expect(withDefaultPolicies(printed)).toEqual(withDefaultPolicies(settings));
        expect(printedPolicies(printed)).toEqual(printed);
      }),
      { numRuns: 200 },
    );
  });
});
