import fc from 'fast-check';
import {
  conditionText,
  datetimeTexts,
  decimalTexts,
  durationTexts,
  entityTexts,
  ipTexts,
} from './policy-expressions.js';

/** JSON as both engines read it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type Members = Readonly<Record<string, Json>>;

export interface UidJson {
  readonly type: string;
  readonly id: string;
}

export interface EntityJson {
  readonly uid: UidJson;
  readonly attrs: Members;
  readonly tags: Members;
  readonly parents: readonly UidJson[];
}

export interface RequestJson {
  readonly principal: UidJson;
  readonly action: UidJson;
  readonly resource: UidJson;
  readonly context: Members;
}

/** A policy, or a template with what fills its slots; a template that is linked never decides by itself. */
export interface PolicyText {
  readonly text: string;
  /** Null: a policy. */
  readonly link: { readonly principal?: UidJson; readonly resource?: UidJson } | null;
}

/** Policies, data, and questions about them. The policies' ids are `p0`, `p1` and so on. */
export interface PolicyWorld {
  readonly policies: readonly PolicyText[];
  readonly entities: readonly EntityJson[];
  readonly requests: readonly RequestJson[];
}

const uid = (type: string, id: string): UidJson => ({ type, id });
/** Each may have those after it for parents, so that there is no cycle. */
const uids: readonly UidJson[] = [
  ...[uid('User', 'a'), uid('User', 'b'), uid('N::Photo', 'p'), uid('User', '😀\n'), uid('N::Photo', 'q')],
  ...[uid('Group', 'g'), uid('User', 'c'), uid('Group', 'h'), uid('Group', 'i')],
];
const actions: readonly UidJson[] = [uid('Action', 'view'), uid('Action', 'edit'), uid('Action', 'all')];

const entityValue = fc.constantFrom(...uids, ...actions).map((of): Json => ({ __entity: { ...of } }));
const extensionValue = (fn: string, texts: readonly string[]): fc.Arbitrary<Json> =>
  fc.constantFrom(...texts).map((arg) => ({ __extn: { fn, arg } }));
const long = fc.constantFrom(-2, -1, 0, 1, 2, 3, 10, 86_400_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
const string = fc.constantFrom('', 'a', 'ab', 'abc', 'a*b', 'é', '😀', '\n', '1.0', 't', '10.0.0.1');
const setOf = (element: fc.Arbitrary<Json>): fc.Arbitrary<Json> => fc.array(element, { maxLength: 4 });
const nested = fc.record({ n: long, s: string, e: entityValue, b: fc.boolean() }, { requiredKeys: [] });

const wellTyped: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  b: fc.boolean(),
  flag: fc.boolean(),
  n: long,
  m: long,
  s: string,
  'other name': string,
  e: entityValue,
  owner: entityValue,
  es: setOf(entityValue),
  ns: setOf(long),
  ss: setOf(string),
  r: fc.oneof(nested, fc.record({ r: nested, n: long }, { requiredKeys: [] })),
  dec: extensionValue('decimal', decimalTexts),
  ip: extensionValue('ip', ipTexts),
  at: extensionValue('datetime', datetimeTexts),
  span: extensionValue('duration', durationTexts),
};
const anyValue: fc.Arbitrary<Json> = fc.oneof(...Object.values(wellTyped));
const attributes = fc.record(
  Object.fromEntries(
    Object.entries(wellTyped).map(([name, value]) => [
      name,
      fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: anyValue }),
    ]),
  ),
  { requiredKeys: ['n', 's', 'e', 'b'] },
) as fc.Arbitrary<Members>;
const tags = fc.record(
  { t: fc.oneof(long, string), u: fc.boolean(), v: anyValue },
  { requiredKeys: [] },
) as fc.Arbitrary<Members>;

/** Few, since reading data is what takes Cedar's engine most of its time. */
const groupAttributes = fc.record({ n: long, owner: entityValue }, { requiredKeys: [] }) as fc.Arbitrary<Members>;
const entityAt = (index: number, of: UidJson): fc.Arbitrary<EntityJson> =>
  fc.record({
    uid: fc.constant(of),
    attrs: of.type === 'Group' ? groupAttributes : attributes,
    tags,
    parents: fc.subarray(uids.slice(index + 1), { maxLength: Math.min(3, uids.length - index - 1) }),
  });
const actionEntities: readonly EntityJson[] = actions.map((action) => ({
  uid: action,
  attrs: {},
  tags: {},
  parents: action.id === 'all' ? [] : [uid('Action', 'all')],
}));
/** Not every entity that is named is known. */
const entities = fc
  .tuple(fc.tuple(...uids.map((of, index) => entityAt(index, of))), fc.subarray([...uids.keys()], { minLength: 5 }))
  .map(([all, known]) => [...all.filter((_, index) => known.includes(index)), ...actionEntities]);

const request = fc.record({
  principal: fc.constantFrom(
    uid('User', 'a'),
    uid('User', 'a'),
    uid('User', 'b'),
    uid('Group', 'g'),
    uid('User', '😀\n'),
  ),
  action: fc.constantFrom(uid('Action', 'view'), uid('Action', 'view'), uid('Action', 'edit'), uid('Action', 'other')),
  resource: fc.constantFrom(
    ...[uid('N::Photo', 'p'), uid('N::Photo', 'p'), uid('N::Photo', 'q'), uid('Group', 'h'), uid('Other', 'x')],
  ),
  context: attributes,
});

/** `?principal` stands in where the scope is a template's. */
const scopeOf = (variable: 'principal' | 'resource', types: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 40, arbitrary: fc.constant(variable) },
    { weight: 2, arbitrary: fc.constantFrom(...entityTexts).map((entity) => `${variable} == ${entity}`) },
    { weight: 4, arbitrary: fc.constantFrom(...entityTexts).map((entity) => `${variable} in ${entity}`) },
    { weight: 3, arbitrary: fc.constantFrom(...types).map((type) => `${variable} is ${type}`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...types), fc.constantFrom(...entityTexts))
        .map(([type, entity]) => `${variable} is ${type} in ${entity}`),
    },
    { weight: 1, arbitrary: fc.constantFrom('==', 'in').map((operator) => `${variable} ${operator} ?${variable}`) },
    { weight: 1, arbitrary: fc.constantFrom(...types).map((type) => `${variable} is ${type} in ?${variable}`) },
  );
const actionScope = fc.oneof(
  { weight: 24, arbitrary: fc.constant('action') },
  { weight: 2, arbitrary: fc.constantFrom('view', 'edit', 'all').map((id) => `action == Action::"${id}"`) },
  { weight: 2, arbitrary: fc.constantFrom('view', 'edit', 'all').map((id) => `action in Action::"${id}"`) },
  {
    weight: 2,
    arbitrary: fc
      .subarray(['view', 'edit', 'all', 'other'])
      .map((ids) => `action in [${ids.map((id) => `Action::"${id}"`).join(', ')}]`),
  },
);
const condition = fc
  .tuple(fc.constantFrom('when', 'when', 'unless'), conditionText)
  .map(([kind, body]) => `${kind} { ${body} }`);
const anyUid = fc.constantFrom(...uids);

const policyText = (effect: fc.Arbitrary<string>): fc.Arbitrary<PolicyText> =>
  fc
    .record({
      effect,
      principal: scopeOf('principal', ['User', 'Group', 'Other']),
      action: actionScope,
      resource: scopeOf('resource', ['N::Photo', 'Group', 'Other']),
      conditions: fc.array(condition, { minLength: 0, maxLength: 2, size: 'max' }),
      link: fc.record({ principal: anyUid, resource: anyUid }),
    })
    .map(({ effect: word, principal, action, resource, conditions, link }) => {
      const text = `${word}(${principal}, ${action}, ${resource})${conditions.map((one) => ` ${one}`).join('')};`;
      const filled = {
        ...(principal.includes('?') ? { principal: link.principal } : {}),
        ...(resource.includes('?') ? { resource: link.resource } : {}),
      };
      return { text, link: Object.keys(filled).length === 0 ? null : filled };
    });

/** Permits alone show of every policy whether it is satisfied; a satisfied forbid hides the permits. */
const policies = fc.oneof(
  { weight: 3, arbitrary: fc.array(policyText(fc.constant('permit')), { minLength: 1, maxLength: 20, size: 'max' }) },
  {
    weight: 1,
    arbitrary: fc.array(policyText(fc.constantFrom('permit', 'permit', 'forbid')), {
      minLength: 1,
      maxLength: 6,
      size: 'max',
    }),
  },
);

export const policyWorld: fc.Arbitrary<PolicyWorld> = fc.record({
  policies,
  entities,
  requests: fc.array(request, { minLength: 1, maxLength: 4, size: 'max' }),
});
