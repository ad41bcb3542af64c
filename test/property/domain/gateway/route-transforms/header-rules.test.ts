import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyHeaderRules,
  compileHeaderRules,
  type HeaderRules,
} from '../../../../../src/domain/gateway/route-transforms/header-rules.js';
import {
  type PlaceholderName,
  type PlaceholderValues,
  parseTemplate,
  placeholderNames,
} from '../../../../../src/domain/gateway/route-transforms/placeholder-template.js';
import { ruleNameFault } from '../../../../../src/domain/gateway/route-transforms/rule-header-names.js';
import { canonicalName } from '../../../../../src/domain/http/canonical-name.js';
import { hopByHop } from '../../../../../src/domain/http/field-traits.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import { alwaysOwned } from '../../../../../src/domain/http/owned-headers.js';

const octets = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
const values: fc.Arbitrary<PlaceholderValues> = fc.record(
  Object.fromEntries(placeholderNames.map((name) => [name, octets])) as Record<PlaceholderName, typeof octets>,
);

/** No message may contain these in a field (RFC 9110, section 5.5). */
const dangerous = /[\u0000-\u001f\u007f]/;

const template = fc
  .array(
    fc.oneof(
      fc.constantFrom(...placeholderNames).map((name) => `{${name}}`),
      fc.stringMatching(/^[ -z]*$/),
    ),
  )
  .map((parts) => parts.join(''))
  .map(parseTemplate)
  .filter((parsed) => parsed.ok)
  .map((parsed) => (parsed.ok ? parsed.value : { parts: [] }));

const name = fc.constantFrom('X-A', 'X-B', 'Via', 'Set-Cookie', 'Authorization');
const rule = fc.record({ name, value: template });
const rules: fc.Arbitrary<HeaderRules> = fc.record({
  remove: fc.array(name),
  set: fc.uniqueArray(rule, { selector: (one) => one.name }),
  add: fc.array(rule),
});
const headers: fc.Arbitrary<HeaderList> = fc
  .array(
    fc.tuple(
      fc.constantFrom('x-a', 'X_A', 'X-B', 'Via', 'X-User-Id', 'Host', 'Content-Length'),
      fc.stringMatching(/^[!-~]*$/),
    ),
  )
  .map((pairs) => pairs.flat());

const applied = (fields: HeaderList, given: HeaderRules, request: PlaceholderValues): HeaderList => {
  const compiled = compileHeaderRules(given, () => true);
  return compiled === null ? fields : applyHeaderRules(fields, compiled, () => request);
};
const pairsOf = (list: HeaderList): [string, string][] =>
  list.flatMap((each, index) => (index % 2 === 0 ? [[each, list[index + 1] ?? ''] as [string, string]] : []));

/** Every spelling that an upstream may fold to the same name. */
const spelling = (canonical: string) =>
  fc
    .array(fc.tuple(fc.boolean(), fc.constantFrom('-', '_', '.', '~', '+')), {
      minLength: canonical.length,
      maxLength: canonical.length,
    })
    .map((choices) =>
      [...canonical]
        .map((character, index) => {
          const [isUpper, separator] = choices[index] as [boolean, string];
          if (character === '-') return separator;
          return isUpper ? character.toUpperCase() : character.toLowerCase();
        })
        .join(''),
    );

const untouchable = [
  ...alwaysOwned.map((owned) => owned.replace('*', 'anything')),
  ...hopByHop,
  'host',
  'content-length',
  'transfer-encoding',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-correlation-id',
];

describe('header rules', () => {
  it('bring no line break and no control character into a message, with any octets in any placeholder', () => {
    fc.assert(
      fc.property(headers, rules, values, (fields, given, request) => {
        for (const [each, value] of pairsOf(applied(fields, given, request))) {
          expect(dangerous.test(each)).toBe(false);
          expect(dangerous.test(value)).toBe(false);
        }
      }),
    );
  });

  it('send only headers that the request had or that a rule names, none with an empty value of a rule', () => {
    fc.assert(
      fc.property(headers, rules, values, (fields, given, request) => {
        const ruled = new Set([...given.set, ...given.add].map((each) => each.name));
        const before = pairsOf(fields).map((pair) => pair.join(': '));
        for (const [each, value] of pairsOf(applied(fields, given, request))) {
          const isNew = !before.includes(`${each}: ${value}`);
          if (isNew) expect(ruled.has(each) && value !== '').toBe(true);
        }
      }),
    );
  });

  it('leave no spelling of a removed or replaced header', () => {
    fc.assert(
      fc.property(headers, rules, values, (fields, given, request) => {
        const dropped = new Set([...given.remove, ...given.set.map((each) => each.name)].map(canonicalName));
        const result = pairsOf(applied(fields, given, request));
        const inherited = pairsOf(fields).filter(([each]) => !dropped.has(canonicalName(each)));
        expect(result.slice(0, inherited.length)).toEqual(inherited);
        const names = [...given.set, ...given.add].map((each) => each.name);
        for (const [each] of result.slice(inherited.length)) expect(names).toContain(each);
      }),
    );
  });

  it('never touch a header that no rule names', () => {
    fc.assert(
      fc.property(headers, rules, values, (fields, given, request) => {
        const isKept = ([each]: [string, string]): boolean => ['X-User-Id', 'Host', 'Content-Length'].includes(each);
        expect(pairsOf(applied(fields, given, request)).filter(isKept)).toEqual(pairsOf(fields).filter(isKept));
      }),
    );
  });
});

describe('the name of a header rule', () => {
  it('is refused for every identity, framing, hop-by-hop and forwarding header, in any spelling', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...untouchable).chain((each) => spelling(each.toLowerCase())),
        (each) => {
          expect(ruleNameFault(each)).not.toBeNull();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    'X-Real-IP',
    'Via',
    'X-Debug',
    'Server',
    'Authorization',
    'Cookie',
    'Strict-Transport-Security',
    'X-Forwarded-Prefix',
  ])('can be %s', (each) => {
    expect(ruleNameFault(each)).toBeNull();
  });
});
