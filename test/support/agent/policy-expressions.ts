import fc from 'fast-check';

/** How tightly the outermost operator of a text binds: 0 a primary or member, 7 an `if`. */
export interface ExpressionText {
  readonly text: string;
  readonly level: number;
}

type Texts = fc.Arbitrary<ExpressionText>;

const primary = (text: string): ExpressionText => ({ text, level: 0 });
/** Parentheses only where the grammar needs them, so that precedence is tried as well. */
const within = (level: number, expression: ExpressionText): string =>
  expression.level > level ? `(${expression.text})` : expression.text;
const oneOf = (...texts: readonly string[]): Texts => fc.constantFrom(...texts).map(primary);
/** Weighted by how often each stands in the list. */
const choice = (...texts: readonly Texts[]): Texts => fc.oneof({ withCrossShrink: true }, ...texts);

export const entityTexts = [
  ...[
    'User::"a"',
    'User::"b"',
    'User::"c"',
    'Group::"g"',
    'Group::"h"',
    'Group::"i"',
    'N::Photo::"p"',
    'N::Photo::"q"',
  ],
  ...['Action::"view"', 'Action::"edit"', 'Action::"all"', 'User::"\\u{1F600}\\n"'],
];
export const stringTexts = ['""', '"a"', '"ab"', '"abc"', '"a*b"', '"é"', '"\\u{1F600}"', '"\\n"', '"1.0"', '"t"'];
const patterns = ['"*"', '""', '"a*"', '"*b"', '"*b*"', '"a\\*b"', '"a*c"', '"**"', '"*\\u{1F600}"', '"*a*b*"', '"é"'];
const longTexts = ['0', '1', '2', '3', '10', '86400000', '4611686018427387904', '9223372036854775807'];
const negativeTexts = ['-1', '-2', '-9223372036854775807', '-9223372036854775808'];
export const decimalTexts = ['0.0', '1.5', '1.50', '-1.5', '0.0001', '922337203685477.5807', '-922337203685477.5808'];
export const ipTexts = [
  ...['10.0.0.1', '10.0.0.0/8', '10.0.0.1/32', '10.0.0.0/24', '127.0.0.1', '127.0.0.0/8', '224.0.0.1', '0.0.0.0/0'],
  ...['::1', 'ff02::1', 'ff00::/8', '2001:db8::/32', '2001:db8::1', '::/0'],
];
export const datetimeTexts = [
  ...['1970-01-01', '2024-02-29', '2024-02-29T12:00:00Z', '2024-02-29T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ...['2024-03-01T00:30:00+0100', '2024-02-29T23:30:00.500-0030', '0000-01-01', '9999-12-31'],
];
export const durationTexts = [
  ...['0ms', '1ms', '-1ms', '1h', '90m', '5400s', '1d', '-1d', '1d2h3m4s5ms', '-2h30m', '9223372036854775807ms'],
  ...['-9223372036854775808ms', '106751991167d'],
];
const wrongTexts = ['', 'x', '::ffff:10.0.0.1', '1', '1.', '1.00000', '10.0.0.256', '2024-02-30', '24h1d', '1 h'];

/** Each attribute is of one type as a rule; the data breaks it now and then. */
const attributeNames = {
  boolean: ['b', 'flag'],
  long: ['n', 'm'],
  string: ['s', 'other name'],
  entity: ['e', 'owner'],
  entities: ['es'],
  longs: ['ns'],
  strings: ['ss'],
  record: ['r'],
  decimal: ['dec'],
  ip: ['ip'],
  datetime: ['at'],
  duration: ['span'],
} as const;
const everyName = [...Object.values(attributeNames).flat(), 'missing'];

const access = (object: string, name: string): string =>
  /^[a-z]+$/.test(name) ? `${object}.${name}` : `${object}["${name}"]`;

/** An expression that holds at most so many others within each other. */
const maxDepth = 4;

/** Expressions of each type, now and then of a wrong one. */
const arbitraries = fc.letrec<Record<string, ExpressionText>>((tie) => {
  const [boolean, long, string, entity, set, record, decimal, ip, datetime, duration, any] = (
    ['boolean', 'long', 'string', 'entity', 'set', 'record', 'decimal', 'ip', 'datetime', 'duration', 'any'] as const
  ).map((name) => tie(name)) as [Texts, Texts, Texts, Texts, Texts, Texts, Texts, Texts, Texts, Texts, Texts];

  const holder = choice(
    oneOf('principal', 'resource', 'context'),
    oneOf('principal', 'resource', 'context'),
    oneOf('principal.e', 'resource.owner', 'context.r', 'principal.r', 'action', 'resource.e.r'),
    entity,
    record,
  );
  const attribute = (names: readonly string[]): Texts =>
    fc.tuple(holder, fc.constantFrom(...names)).map(([of, name]) => primary(access(within(0, of), name)));
  const tag = fc
    .tuple(choice(oneOf('principal', 'resource', 'principal.e'), entity), choice(oneOf('"t"', '"u"', '"v"'), string))
    .map(([of, key]) => primary(`${within(0, of)}.getTag(${key.text})`));
  const infix = (operators: readonly string[], level: number, side: number, left: Texts, right: Texts): Texts =>
    fc
      .tuple(left, fc.constantFrom(...operators), right)
      .map(([a, operator, b]) => ({ text: `${within(side, a)} ${operator} ${within(side, b)}`, level }));
  const chain = (operator: string, level: number): Texts =>
    fc.array(boolean, { minLength: 2, maxLength: 4 }).map((operands) => ({
      text: operands.map((operand) => within(level - 1, operand)).join(` ${operator} `),
      level,
    }));
  const method = (object: Texts, name: string, ...args: readonly Texts[]): Texts =>
    fc
      .tuple(object, fc.tuple(...args))
      .map(([of, values]) => primary(`${within(0, of)}.${name}(${values.map(({ text }) => text).join(', ')})`));
  const methods = (object: Texts, names: readonly string[], ...args: readonly Texts[]): Texts =>
    fc.constantFrom(...names).chain((name) => method(object, name, ...args));
  const conditional = (branch: Texts): Texts =>
    fc.tuple(boolean, branch, branch).map(([condition, yes, no]) => ({
      text: `if ${condition.text} then ${yes.text} else ${no.text}`,
      level: 7,
    }));
  const call = (name: string, texts: readonly string[]): Texts =>
    choice(
      ...Array<Texts>(12).fill(fc.constantFrom(...texts).map((text) => primary(`${name}("${text}")`))),
      fc.constantFrom(...wrongTexts).map((text) => primary(`${name}("${text}")`)),
      string.map(({ text }) => primary(`${name}(${text})`)),
    );
  const of = (leaf: Texts, names: readonly string[], ...deeper: readonly Texts[]): Texts =>
    fc.oneof(
      { maxDepth, depthSize: 'small', withCrossShrink: true, depthIdentifier: 'expression' },
      { weight: 4, arbitrary: leaf },
      { weight: 4, arbitrary: attribute(names) },
      ...deeper.map((arbitrary) => ({ weight: 2, arbitrary })),
    );
  const pairOf = (operators: readonly string[], ...types: readonly Texts[]): Texts =>
    choice(...types.map((type) => infix(operators, 4, 3, type, type)));

  const longLiteral = choice(
    oneOf(...longTexts),
    fc.constantFrom(...negativeTexts).map((text) => ({ text, level: 1 })),
  );
  const setLiteral = (element: Texts): Texts =>
    fc.array(element, { maxLength: 4 }).map((elements) => primary(`[${elements.map(({ text }) => text).join(', ')}]`));
  const recordLiteral = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...everyName), any), { maxLength: 3, selector: ([name]) => name })
    .map((entries) => primary(`{${entries.map(([name, value]) => `"${name}": ${value.text}`).join(', ')}}`));
  const hasAttribute = fc
    .tuple(holder, fc.constantFrom(...everyName))
    .map(([object, name]) => ({ text: `${within(3, object)} has "${name}"`, level: 4 }));
  const hasPath = fc
    .tuple(holder, fc.array(fc.constantFrom('r', 'e', 'n', 's', 'owner', 'missing'), { minLength: 1, maxLength: 3 }))
    .map(([object, path]) => ({ text: `${within(3, object)} has ${path.join('.')}`, level: 4 }));
  const guarded = fc
    .tuple(oneOf('principal', 'resource', 'context'), fc.constantFrom('n', 'm', 's', 'b', 'dec', 'at'), any)
    .map(([{ text: object }, name, value]) => ({
      text: `${object} has ${name} && ${object}.${name} == ${within(3, value)}`,
      level: 5,
    }));
  const like = fc
    .tuple(string, fc.constantFrom(...patterns))
    .map(([text, pattern]) => ({ text: `${within(3, text)} like ${pattern}`, level: 4 }));
  const isType = fc
    .tuple(
      choice(entity, oneOf('principal', 'resource')),
      fc.constantFrom('User', 'Group', 'N::Photo', 'Action', 'Other'),
    )
    .map(([object, type]) => ({ text: `${within(3, object)} is ${type}`, level: 4 }));
  const isTypeIn = fc
    .tuple(isType, choice(entity, setLiteral(entity)))
    .map(([is, above]) => ({ text: `${is.text} in ${within(3, above)}`, level: 4 }));
  const not = fc
    .tuple(fc.constantFrom('!', '!!'), boolean)
    .map(([operator, operand]) => ({ text: `${operator}${within(0, operand)}`, level: 1 }));
  const negate = long.map((operand) => ({ text: `-${within(0, operand)}`, level: 1 }));
  const hasTag = method(choice(entity, oneOf('principal', 'resource')), 'hasTag', string);

  return {
    boolean: of(
      oneOf('true', 'false'),
      attributeNames.boolean,
      pairOf(['==', '!='], long, string, entity, set, record, decimal, ip, datetime, duration, boolean),
      infix(['==', '!='], 4, 3, any, any),
      pairOf(['<', '<=', '>', '>='], long, long, datetime, duration, any),
      chain('&&', 5),
      chain('||', 6),
      not,
      infix(['in'], 4, 3, entity, choice(entity, entity, setLiteral(entity), set)),
      choice(hasAttribute, hasPath, guarded),
      choice(like, isType, isTypeIn, hasTag),
      choice(method(set, 'contains', any), method(set, 'contains', choice(long, string, entity))),
      choice(methods(set, ['containsAll', 'containsAny'], set), method(set, 'isEmpty')),
      choice(
        methods(decimal, ['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual'], decimal),
        methods(ip, ['isIpv4', 'isIpv6', 'isLoopback', 'isMulticast']),
        method(ip, 'isInRange', ip),
      ),
      conditional(boolean),
      tag,
    ),
    long: of(
      longLiteral,
      attributeNames.long,
      infix(['+', '-', '*'], 3, 1, long, long),
      fc.tuple(long, long, long).map(([a, b, c]) => ({
        text: `${within(2, a)} + ${within(1, b)} * ${within(1, c)} - ${within(2, a)}`,
        level: 3,
      })),
      negate,
      choice(tag, conditional(long)),
      methods(duration, ['toMilliseconds', 'toSeconds', 'toMinutes', 'toHours', 'toDays']),
    ),
    string: of(oneOf(...stringTexts), attributeNames.string, choice(tag, conditional(string))),
    entity: of(
      choice(oneOf('principal', 'resource', 'action'), oneOf(...entityTexts)),
      attributeNames.entity,
      conditional(entity),
    ),
    set: of(
      choice(setLiteral(long), setLiteral(entity), setLiteral(string)),
      [...attributeNames.entities, ...attributeNames.longs, ...attributeNames.strings],
      setLiteral(any),
      setLiteral(set),
      conditional(set),
    ),
    record: of(oneOf('context', '{}'), attributeNames.record, recordLiteral),
    decimal: of(call('decimal', decimalTexts), attributeNames.decimal),
    ip: of(call('ip', ipTexts), attributeNames.ip),
    datetime: of(
      call('datetime', datetimeTexts),
      attributeNames.datetime,
      method(datetime, 'offset', duration),
      method(datetime, 'toDate'),
    ),
    duration: of(
      call('duration', durationTexts),
      attributeNames.duration,
      method(datetime, 'durationSince', datetime),
      method(datetime, 'toTime'),
    ),
    any: choice(
      boolean,
      long,
      string,
      entity,
      set,
      record,
      choice(decimal, ip, datetime, duration),
      attribute(everyName),
    ),
  };
});

/** Conditions: most are of a boolean, as a condition has to be. */
export const conditionText: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 30, arbitrary: arbitraries['boolean'] as Texts },
    { weight: 1, arbitrary: arbitraries['any'] as Texts },
  )
  .map(({ text }) => text);
