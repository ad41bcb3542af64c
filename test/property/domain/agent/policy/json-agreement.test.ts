import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicies } from '../../../../../src/domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../../../src/domain/agent/policy/evaluate/decide.js';
import { entityStore } from '../../../../../src/domain/agent/policy/evaluate/entity-store.js';
import { entitiesFromJson } from '../../../../../src/domain/agent/policy/json/entities-from-json.js';
import { parseExactJson } from '../../../../../src/domain/agent/policy/json/parse-exact-json.js';
import { contextFromJson } from '../../../../../src/domain/agent/policy/json/record-from-json.js';
import { uidFromJson } from '../../../../../src/domain/agent/policy/json/uid-from-json.js';
import { parsePolicies } from '../../../../../src/domain/agent/policy/parse/parse-policies.js';
import { entityUid } from '../../../../../src/domain/agent/policy/values/entity-uid.js';

const runs = 250;
const seed = 20_240_301;

const alice = { type: 'User', id: 'alice' };
const typeNames = fc.constantFrom('User', 'N::Photo', 'a b', 'if', '');
const scalar = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(true, 0, -7, 'text', '1.0', '10.0.0.1', 'User', 'ip') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 1.5, 1e30) },
);

/** What is nearly the name of an entity, or is. */
const naming = (part: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constant(alice),
    fc.record({ type: typeNames, id: fc.constantFrom('alice', '') }),
    fc.record({ type: fc.oneof(typeNames, part), id: fc.oneof(fc.constant('a'), part), z: part }, { requiredKeys: [] }),
    fc.tuple(typeNames, fc.constant('a')),
    fc.array(part, { maxLength: 3 }),
    part,
  );

const functionNames = fc.constantFrom('ip', 'decimal', 'isIpv4', 'lessThan', 'nope', 'N::ip', 'n o', '');

/** What is nearly a call of an extension, or is. */
const call = (part: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom({ fn: 'ip', arg: '10.0.0.1' }, { fn: 'decimal', args: ['1.0'] }),
    fc.record(
      { fn: fc.oneof(functionNames, part), arg: part, args: fc.oneof(fc.array(part, { maxLength: 2 }), part), z: part },
      { requiredKeys: ['fn'] },
    ),
    part,
  );

const { value } = fc.letrec<{ value: unknown }>((tie) => {
  const part = tie('value');
  return {
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'json' },
      scalar,
      fc.record({ __entity: naming(part) }),
      fc.record({ __extn: call(part) }),
      fc.record({ __expr: fc.oneof(fc.constant('1'), part) }),
      fc.record({ __entity: naming(part), __extn: call(part), __expr: part, z: part }, { requiredKeys: [] }),
      fc.array(part, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', '__entity', 'type', 'id', 'b'), part, { maxKeys: 3 }),
    ),
  };
});

const uid = fc.oneof(
  naming(value),
  fc.record({ __entity: naming(value), __expr: value, type: typeNames, id: fc.constant('a') }, { requiredKeys: [] }),
);
const attributes = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(fc.constantFrom('a', 'b', '__entity', '__extn', '__expr'), value) },
  { weight: 1, arbitrary: value },
);
const parents = fc.oneof({ weight: 6, arbitrary: fc.array(uid, { maxLength: 2 }) }, { weight: 1, arbitrary: value });
const mostlyAlice = fc.oneof({ weight: 4, arbitrary: fc.constant<unknown>(alice) }, { weight: 1, arbitrary: uid });
const entity = fc.oneof(
  { weight: 8, arbitrary: fc.record({ uid: fc.constant(alice), attrs: attributes, parents: fc.constant([]) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      uid: mostlyAlice,
      attrs: fc.constant({}),
      parents: fc.array(mostlyAlice, { maxLength: 1 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      { uid: mostlyAlice, attrs: attributes, parents, tags: attributes, z: value },
      { requiredKeys: ['uid', 'attrs', 'parents'] },
    ),
  },
  { weight: 2, arbitrary: fc.tuple(mostlyAlice, attributes, fc.constant([])) },
  { weight: 1, arbitrary: fc.tuple(mostlyAlice, attributes, parents, attributes) },
  { weight: 1, arbitrary: fc.oneof(value, fc.array(value, { maxLength: 5 })) },
);

/** Read as the files of a corpus are. */
const exactly = (json: unknown): Parameters<typeof contextFromJson>[0] => {
  const read = parseExactJson(JSON.stringify(json));
  if (!read.ok) throw new Error(read.error);
  return read.value;
};

/** Whether both took it and refused it often enough to have been asked something. */
class Tally {
  taken = 0;
  asked = 0;

  count(isTaken: boolean): void {
    this.asked += 1;
    if (isTaken) this.taken += 1;
  }

  expectBoth(): void {
    expect(this.taken / this.asked).toBeGreaterThan(0.15);
    expect(this.taken / this.asked).toBeLessThan(0.9);
  }
}

const expectAgreement = <T>(
  arbitrary: fc.Arbitrary<T>,
  own: (json: T) => boolean,
  cedars: (json: T) => boolean,
): void => {
  const tally = new Tally();
  fc.assert(
    fc.property(arbitrary, (json) => {
      const expected = cedars(json);
      expect(own(json)).toBe(expected);
      tally.count(expected);
    }),
    { numRuns: runs, seed },
  );
  tally.expectBoth();
};

const policyText = (name: string): string => `permit(principal, action, resource) when { ${name} };`;

/**
 * What a value is, so that taking it for something else shows: in turn an entity, a record with a key, an address,
 * ...
 */
const questions = [
  'context.v is User',
  'context.v == User::"alice"',
  'context.v has __entity',
  'context.v has __extn.fn',
  'context.v has __expr',
  'context.v.isIpv4()',
  'context.v.lessThan(decimal("2.0"))',
  'context.v',
  'context.v.contains(1)',
];
const ownPolicies = (() => {
  const parsed = parsePolicies(questions.map(policyText).join('\n'), 'cedar');
  if (!parsed.ok) throw new Error('the questions do not parse');
  return compilePolicies(parsed.value, 'cedar');
})();
const preparsed = 'json-agreement';
const preparation = cedar.preparsePolicySet(preparsed, { staticPolicies: questions.map(policyText).join('\n') });

const noEntities = entityStore([]);

const ownAnswer = (json: unknown): unknown => {
  const context = contextFromJson(exactly(json));
  if (!context.ok || !noEntities.ok) return null;
  const person = entityUid('User', 'alice');
  const action = entityUid('Action', 'look');
  const request = { principal: person, action, resource: person, context: context.value, entities: noEntities.value };
  const { reasons, errors } = decide(ownPolicies, request);
  return { reasons: reasons.toSorted(), errors: errors.map(({ policyId }) => policyId).toSorted() };
};

const cedarAnswer = (json: unknown): unknown => {
  const action = { type: 'Action', id: 'look' };
  const request = { principal: alice, action, resource: alice, context: json, entities: [] };
  const answer = cedar.statefulIsAuthorized({ ...request, preparsedPolicySetId: preparsed } as never);
  if (answer.type !== 'success') return null;
  const { reason, errors } = answer.response.diagnostics;
  return { reasons: reason.toSorted(), errors: errors.map(({ policyId }) => policyId).toSorted() };
};

describe("the JSON readers compared with Cedar's", () => {
  it('accept the same context values and read them equally', () => {
    expect(preparation.type).toBe('success');
    const tally = new Tally();
    fc.assert(
      fc.property(value, (json) => {
        const expected = cedarAnswer({ v: json });
        expect(ownAnswer({ v: json })).toEqual(expected);
        tally.count(expected !== null);
      }),
      { numRuns: runs, seed },
    );
    tally.expectBoth();
  });

  it('accept the same contexts', () => {
    expectAgreement(
      value,
      (json) => contextFromJson(exactly(json)).ok,
      (json) => cedar.checkParseContext({ context: json as never, schema: null, action: null }).type === 'success',
    );
  });

  it('accept the same entity names', () => {
    expectAgreement(
      uid,
      (json) => uidFromJson(exactly(json)).ok,
      (json) =>
        cedar.isAuthorized({
          principal: json as never,
          action: { type: 'Action', id: 'look' },
          resource: alice,
          context: {},
          policies: {},
          entities: [],
        }).type === 'success',
    );
  });

  it('accept the same entities', () => {
    expectAgreement(
      fc.array(entity, { minLength: 1, maxLength: 1 }),
      (json) => entitiesFromJson(exactly(json)).ok,
      (json) => cedar.checkParseEntities({ entities: json as never, schema: null }).type === 'success',
    );
  });
});
