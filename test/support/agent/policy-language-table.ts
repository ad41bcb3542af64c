import type { EntityJson, Json, PolicyText, RequestJson, UidJson } from './policy-worlds.js';

const uid = (type: string, id: string): UidJson => ({ type, id });
const reference = (type: string, id: string): Json => ({ __entity: { type, id } });

const entity = (
  of: UidJson,
  parents: readonly UidJson[],
  attrs: EntityJson['attrs'] = {},
  tags: EntityJson['tags'] = {},
) => ({
  uid: of,
  attrs,
  tags,
  parents,
});

const ida = uid('Sailor', 'ida');
const otto = uid('Sailor', 'otto');
const crew = uid('Crew', 'night');
const everybody = uid('Crew', 'all');
const lamp = uid('Ship::Lamp', 'bow');
const deck = uid('Ship::Deck', 'upper');
const hull = uid('Ship::Deck', 'hull');
const light = uid('Action', 'light');
const dim = uid('Action', 'dim');
const handle = uid('Action', 'handle');

/** A ship and its crew: the data of every row. */
export const tableEntities: readonly EntityJson[] = [
  entity(
    ida,
    [crew],
    {
      rank: 3,
      name: 'Ida *',
      onDuty: true,
      skills: ['knots', 'signals'],
      home: { port: 'Kiel', berth: { number: 7 } },
      mentor: reference('Sailor', 'otto'),
      'first language': 'de',
    },
    { shift: 'night', level: 2 },
  ),
  entity(otto, [everybody], { rank: 5, onDuty: false, skills: [] }),
  entity(crew, [everybody]),
  entity(everybody, []),
  entity(lamp, [deck], { lumen: 900, owner: reference('Sailor', 'ida') }),
  entity(deck, [hull]),
  entity(hull, []),
  entity(light, [handle]),
  entity(dim, [handle]),
  entity(handle, []),
];

export const tableRequest: RequestJson = {
  principal: ida,
  action: light,
  resource: lamp,
  context: {
    hour: 23,
    note: 'storm',
    from: { __extn: { fn: 'ip', arg: '10.1.2.3' } },
    depth: { __extn: { fn: 'decimal', arg: '12.5' } },
    watch: [1, 2, 3],
    seen: [reference('Sailor', 'otto')],
    extra: {},
  },
};

/** `error`: the policy is left out of the decision, and named among the errors. */
export type ExpressionOutcome = 'true' | 'false' | 'error';

/** An expression of a condition, and what it comes to for `tableRequest`. */
export const expressionRows: readonly (readonly [expression: string, outcome: ExpressionOutcome])[] = [
  // Literals and Booleans
  ['true', 'true'],
  ['false', 'false'],
  ['!false', 'true'],
  ['!!principal.onDuty', 'true'],
  ['1', 'error'],
  ['"true"', 'error'],
  ['!1', 'error'],
  ['true && false', 'false'],
  ['false && 1', 'false'],
  ['true && 1', 'error'],
  ['1 && true', 'error'],
  ['true || 1', 'true'],
  ['false || principal.onDuty', 'true'],
  ['false || 1', 'error'],
  ['false && principal.missing || true', 'true'],
  ['if principal.onDuty then true else principal.missing', 'true'],
  ['if !principal.onDuty then principal.missing else false', 'false'],
  ['if 1 then true else true', 'error'],
  // Equality
  ['1 == 1', 'true'],
  ['1 == "1"', 'false'],
  ['principal == Sailor::"ida"', 'true'],
  ['principal != Sailor::"otto"', 'true'],
  ['Sailor::"ida" == Crew::"ida"', 'false'],
  ['[1, 2, 2] == [2, 1]', 'true'],
  ['[[1]] == [[1, 1]]', 'true'],
  ['{a: 1, "b": [2]} == {b: [2], a: 1}', 'true'],
  ['{a: 1} == {a: 1, b: 2}', 'false'],
  ['true != 1', 'true'],
  ['principal.missing == principal.missing', 'error'],
  // Comparison and arithmetic
  ['principal.rank < 4', 'true'],
  ['principal.rank <= 3', 'true'],
  ['principal.rank > 3', 'false'],
  ['principal.rank >= 3', 'true'],
  ['"a" < "b"', 'error'],
  ['1 < true', 'error'],
  ['1 + 2 * 3 == 7', 'true'],
  ['(1 + 2) * 3 == 9', 'true'],
  ['10 - 3 - 2 == 5', 'true'],
  ['-principal.rank == 0 - 3', 'true'],
  ['--3 == 3', 'true'],
  ['-9223372036854775808 < 0', 'true'],
  ['9223372036854775807 + 1 > 0', 'error'],
  ['-9223372036854775808 - 1 < 0', 'error'],
  ['4611686018427387904 * 2 > 0', 'error'],
  ['9223372036854775807 - 1 == 9223372036854775806', 'true'],
  ['1 + "a" == 2', 'error'],
  // Strings
  ['context.note == "storm"', 'true'],
  ['context.note like "st*"', 'true'],
  ['context.note like "*or*"', 'true'],
  ['context.note like "storm?"', 'false'],
  ['context.note like ""', 'false'],
  ['"" like "*"', 'true'],
  ['principal.name like "Ida \\*"', 'true'],
  ['context.note like "st\\*"', 'false'],
  ['context.hour like "2*"', 'error'],
  ['"\\u{1F6A2}" == "🚢"', 'true'],
  ['"\\t\\n\\r\\0\\\\\\"\\\'" like "*\\""', 'false'],
  ['"\\x41" == "A"', 'true'],
  // Sets
  ['principal.skills.contains("knots")', 'true'],
  ['principal.skills.contains("cooking")', 'false'],
  ['[1, "a", true].contains(true)', 'true'],
  ['context.watch.containsAll([1, 3])', 'true'],
  ['context.watch.containsAll([1, 9])', 'false'],
  ['context.watch.containsAll([])', 'true'],
  ['context.watch.containsAny([9, 2])', 'true'],
  ['context.watch.containsAny([])', 'false'],
  ['[].isEmpty()', 'true'],
  ['context.watch.isEmpty()', 'false'],
  ['context.note.isEmpty()', 'error'],
  ['context.note.contains("st")', 'error'],
  ['context.watch.containsAny(1)', 'error'],
  // Records and attributes
  ['principal.home.port == "Kiel"', 'true'],
  ['principal["home"]["berth"].number == 7', 'true'],
  ['principal["first language"] == "de"', 'true'],
  ['principal.mentor.rank == 5', 'true'],
  ['principal.mentor.mentor == principal', 'error'],
  ['principal has rank', 'true'],
  ['principal has missing', 'false'],
  ['principal has "first language"', 'true'],
  ['principal has home.berth.number', 'true'],
  ['principal has home.berth.missing', 'false'],
  ['principal has missing.berth.number', 'false'],
  ['principal has rank.number', 'error'],
  ['Sailor::"nobody" has rank', 'false'],
  ['Sailor::"nobody".rank == 1', 'error'],
  ['context has hour && context.hour > 22', 'true'],
  ['context.extra == {}', 'true'],
  ['{a: {b: 1}}.a.b == 1', 'true'],
  ['{a: 1}.b == 1', 'error'],
  ['context.hour has a', 'error'],
  ['1.a == 1', 'error'],
  // Entities
  ['principal in Crew::"night"', 'true'],
  ['principal in Crew::"all"', 'true'],
  ['principal in principal', 'true'],
  ['Sailor::"otto" in Crew::"night"', 'false'],
  ['principal in [Crew::"day", Crew::"all"]', 'true'],
  ['principal in []', 'false'],
  ['principal in context.seen', 'false'],
  ['action in Action::"handle"', 'true'],
  ['resource in Ship::Deck::"hull"', 'true'],
  ['principal in "night"', 'error'],
  ['principal in [1]', 'error'],
  ['1 in principal', 'error'],
  ['principal is Sailor', 'true'],
  ['resource is Ship::Lamp', 'true'],
  ['resource is Lamp', 'false'],
  ['resource is Ship::Lamp in Ship::Deck::"upper"', 'true'],
  ['resource is Ship::Lamp in Ship::Deck::"lower"', 'false'],
  ['resource is Ship::Deck in Ship::Deck::"upper"', 'false'],
  ['resource is Ship::Lamp in [Ship::Deck::"lower", Ship::Deck::"hull"]', 'true'],
  ['context.note is Sailor', 'error'],
  ['resource.owner == principal', 'true'],
  // Tags
  ['principal.hasTag("shift")', 'true'],
  ['principal.hasTag("none")', 'false'],
  ['principal.getTag("shift") == "night"', 'true'],
  ['principal.getTag("le" + "vel") == 2', 'error'],
  ['principal.getTag("level") + 1 == principal.rank', 'true'],
  ['principal.getTag("none") == 1', 'error'],
  ['Sailor::"nobody".hasTag("shift")', 'false'],
  ['principal.hasTag(1)', 'error'],
  ['context.hasTag("shift")', 'error'],
  // Decimals
  ['decimal("1.0") == decimal("1.0000")', 'true'],
  ['context.depth.lessThan(decimal("12.5001"))', 'true'],
  ['context.depth.lessThanOrEqual(decimal("12.5"))', 'true'],
  ['context.depth.greaterThan(decimal("12.5"))', 'false'],
  ['context.depth.greaterThanOrEqual(decimal("-12.5"))', 'true'],
  ['decimal("1") == decimal("1.0")', 'error'],
  ['decimal("1.00000") == decimal("1.0")', 'error'],
  ['decimal("922337203685477.5808").greaterThan(decimal("0.0"))', 'error'],
  ['decimal(1) == decimal("1.0")', 'error'],
  ['context.depth < decimal("13.0")', 'error'],
  ['decimal("1.0").lessThan(1)', 'error'],
  // Addresses
  ['context.from.isIpv4()', 'true'],
  ['context.from.isIpv6()', 'false'],
  ['ip("::1").isIpv6()', 'true'],
  ['ip("127.0.0.9").isLoopback()', 'true'],
  ['ip("::1").isLoopback()', 'true'],
  ['context.from.isLoopback()', 'false'],
  ['ip("224.0.0.5").isMulticast()', 'true'],
  ['ip("ff02::1").isMulticast()', 'true'],
  ['context.from.isInRange(ip("10.0.0.0/8"))', 'true'],
  ['context.from.isInRange(ip("10.1.2.4/31"))', 'false'],
  ['ip("10.0.0.0/8").isInRange(ip("10.0.0.0/16"))', 'false'],
  ['ip("::1").isInRange(ip("0.0.0.0/0"))', 'false'],
  ['ip("10.1.2.3") == context.from', 'true'],
  ['ip("10.1.2.3/32") == context.from', 'true'],
  ['ip("10.1.2.03").isIpv4()', 'error'],
  ['ip("10.1.2").isIpv4()', 'error'],
  ['ip("10.1.2.3/33").isIpv4()', 'error'],
  ['ip("lighthouse").isIpv4()', 'error'],
  // Dates and durations
  ['datetime("2024-02-29") < datetime("2024-02-29T00:00:00.001Z")', 'true'],
  ['datetime("2024-02-29T01:00:00+0100") == datetime("2024-02-29")', 'true'],
  ['datetime("2023-02-29") == datetime("2023-03-01")', 'error'],
  ['datetime("2024-02-29T24:00:00Z") == datetime("2024-03-01")', 'error'],
  ['datetime("2024-01-31").offset(duration("1d")) == datetime("2024-02-01")', 'true'],
  ['datetime("2024-01-01").offset(duration("-1ms")) < datetime("2024-01-01")', 'true'],
  ['datetime("2024-01-02").durationSince(datetime("2024-01-01")) == duration("24h")', 'true'],
  ['datetime("2024-01-02T10:20:30Z").toDate() == datetime("2024-01-02")', 'true'],
  ['datetime("2024-01-02T10:20:30Z").toTime() == duration("10h20m30s")', 'true'],
  ['duration("1d2h3m4s5ms").toMilliseconds() == 93784005', 'true'],
  ['duration("90s").toSeconds() == 90', 'true'],
  ['duration("90s").toMinutes() == 1', 'true'],
  ['duration("-90m").toHours() == -1', 'true'],
  ['duration("49h").toDays() == 2', 'true'],
  ['duration("1h") > duration("59m")', 'true'],
  ['duration("1h") < datetime("2024-01-01")', 'error'],
  ['duration("1m1h") == duration("61m")', 'error'],
  ['duration("") == duration("0ms")', 'error'],
  ['datetime("2024-01-01").offset(1) == datetime("2024-01-01")', 'error'],
];

/** Policies, and what they decide of `tableRequest`. The policies' ids are `p0`, `p1` and so on. */
export interface DecisionRow {
  readonly title: string;
  readonly policies: readonly (string | PolicyText)[];
  readonly decision: 'allow' | 'deny';
  readonly reason: readonly string[];
  readonly errors?: readonly string[];
}

const template = (text: string, link: PolicyText['link']): PolicyText => ({ text, link });

const allows = (title: string, ...policies: DecisionRow['policies']): DecisionRow => ({
  title,
  policies,
  decision: 'allow',
  reason: ['p0'],
});
const denies = (title: string, ...policies: DecisionRow['policies']): DecisionRow => ({
  title,
  policies,
  decision: 'deny',
  reason: [],
});

export const decisionRows: readonly DecisionRow[] = [
  denies('denies where there is no policy'),
  allows('allows what a permit without constraints covers', 'permit(principal, action, resource);'),
  allows('finds a principal by equality', 'permit(principal == Sailor::"ida", action, resource);'),
  denies('leaves out another principal', 'permit(principal == Sailor::"otto", action, resource);'),
  allows('finds a principal in a group of its group', 'permit(principal in Crew::"all", action, resource);'),
  denies('leaves out a group that the principal is not in', 'permit(principal in Crew::"day", action, resource);'),
  allows('finds a principal by its type', 'permit(principal is Sailor, action, resource);'),
  denies('leaves out another type', 'permit(principal is Crew, action, resource);'),
  allows('finds a principal by type and group', 'permit(principal is Sailor in Crew::"night", action, resource);'),
  denies(
    'needs the type, too, where both are asked for',
    'permit(principal is Crew in Crew::"night", action, resource);',
  ),
  allows('finds an action by equality', 'permit(principal, action == Action::"light", resource);'),
  denies('leaves out another action', 'permit(principal, action == Action::"dim", resource);'),
  allows('finds an action in its group', 'permit(principal, action in Action::"handle", resource);'),
  allows('finds an action in a list', 'permit(principal, action in [Action::"dim", Action::"light"], resource);'),
  denies('finds no action in an empty list', 'permit(principal, action in [], resource);'),
  allows('finds a resource by equality', 'permit(principal, action, resource == Ship::Lamp::"bow");'),
  allows('finds a resource in what holds it', 'permit(principal, action, resource in Ship::Deck::"hull");'),
  allows('finds a resource by a type in a namespace', 'permit(principal, action, resource is Ship::Lamp);'),
  denies('leaves out a type of another namespace', 'permit(principal, action, resource is Lamp);'),
  allows(
    'finds a resource by type and place',
    'permit(principal, action, resource is Ship::Lamp in Ship::Deck::"upper");',
  ),
  allows(
    'allows where every condition holds',
    'permit(principal, action, resource) when { true } unless { false } when { principal.onDuty };',
  ),
  denies('denies where a condition does not hold', 'permit(principal, action, resource) when { true } when { false };'),
  denies('denies where an exception holds', 'permit(principal, action, resource) unless { context.hour == 23 };'),
  {
    title: 'lets a forbid win over every permit, and names it alone',
    policies: [
      'permit(principal, action, resource);',
      'forbid(principal, action, resource) when { context.hour > 22 };',
    ],
    decision: 'deny',
    reason: ['p1'],
  },
  {
    title: 'ignores a forbid whose condition does not hold',
    policies: [
      'permit(principal, action, resource);',
      'forbid(principal, action, resource) unless { principal.onDuty };',
    ],
    decision: 'allow',
    reason: ['p0'],
  },
  {
    title: 'names every permit that holds',
    policies: [
      'permit(principal, action, resource);',
      'permit(principal, action, resource) when { false };',
      'permit(principal in Crew::"night", action, resource);',
    ],
    decision: 'allow',
    reason: ['p0', 'p2'],
  },
  {
    title: 'leaves out a permit whose condition has no value',
    policies: ['permit(principal, action, resource) when { principal.missing };'],
    decision: 'deny',
    reason: [],
    errors: ['p0'],
  },
  {
    title: 'leaves out a forbid whose condition has no value',
    policies: ['permit(principal, action, resource);', 'forbid(principal, action, resource) when { 1 + true == 2 };'],
    decision: 'allow',
    reason: ['p0'],
    errors: ['p1'],
  },
  {
    title: 'evaluates no condition of a policy whose scope does not match',
    policies: ['permit(principal == Sailor::"otto", action, resource) when { principal.missing };'],
    decision: 'deny',
    reason: [],
    errors: [],
  },
  {
    title: 'ends with the first condition that does not hold',
    policies: ['permit(principal, action, resource) when { false } when { principal.missing };'],
    decision: 'deny',
    reason: [],
    errors: [],
  },
  allows(
    'reads annotations, comments and blanks',
    '// who may\n@id("lamps") @note("of \\"the\\" bow")\npermit ( principal , action ,\tresource ) // all\n;',
  ),
  allows(
    'reads a comma behind the last part of a scope and of a list',
    'permit(principal, action in [Action::"light",], resource,);',
  ),
  allows(
    'fills both slots of a template',
    template('permit(principal == ?principal, action, resource in ?resource);', { principal: ida, resource: hull }),
  ),
  allows(
    'fills the slot behind a type',
    template('permit(principal is Sailor in ?principal, action, resource);', { principal: everybody }),
  ),
  denies(
    'leaves out a template that is linked to somebody else',
    template('permit(principal == ?principal, action, resource);', { principal: otto }),
  ),
];

/** Texts that are no policies. */
export const refusedPolicies: readonly (readonly [why: string, text: string])[] = [
  ['no semicolon', 'permit(principal, action, resource)'],
  ['no resource', 'permit(principal, action);'],
  ['the parts in another order', 'permit(action, principal, resource);'],
  ['another effect', 'allow(principal, action, resource);'],
  ['a condition without braces', 'permit(principal, action, resource) when true;'],
  ['an empty condition', 'permit(principal, action, resource) when { };'],
  ['an unknown function', 'permit(principal, action, resource) when { lamp("on") };'],
  ['an unknown method', 'permit(principal, action, resource) when { principal.shine() };'],
  ['a function of an extension as a method', 'permit(principal, action, resource) when { "1.0".decimal() };'],
  ['an unknown variable', 'permit(principal, action, resource) when { ship.isEmpty() };'],
  ['a slot in a condition', 'permit(principal, action, resource) when { principal == ?principal };'],
  ['the slot of the other part', 'permit(principal == ?resource, action, resource);'],
  ['a number beyond 64 bits', 'permit(principal, action, resource) when { 9223372036854775808 == 1 };'],
  ['two comparisons in a row', 'permit(principal, action, resource) when { 1 < 2 < 3 };'],
  ['a division', 'permit(principal, action, resource) when { 4 / 2 == 2 };'],
  ['one equals sign', 'permit(principal, action, resource) when { 1 = 1 };'],
  ['a string without its end', 'permit(principal, action, resource) when { "a };'],
  ['an unknown escape', 'permit(principal, action, resource) when { "\\q" == "q" };'],
  ['a record with a key twice', 'permit(principal, action, resource) when { {a: 1, a: 2} == {a: 2} };'],
  ['an annotation twice', '@a("1") @a("2") permit(principal, action, resource);'],
  ['a pattern that is no literal', 'permit(principal, action, resource) when { "a" like context.note };'],
  ['a reserved word as a variable', 'permit(principal, action, resource) when { if };'],
  ['an is with a quoted type', 'permit(principal, action, resource) when { principal is "Sailor" };'],
];
