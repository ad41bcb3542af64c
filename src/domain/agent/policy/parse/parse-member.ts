import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import { abbreviateText } from '../abbreviate-text.js';
import { extensionSignatures, partialEvaluationFunction } from '../extensions/extension-signatures.js';
import type { SourceSpan } from '../source-lines.js';
import type { Expression, PolicyDialect, RequestVariable } from '../syntax-tree.js';
import { integerValue } from './integer-value.js';
import { wordHint } from './near-misses.js';
import { checkName, type ParsedName, parseIdentifier, parseName, quotedEntity, stringValue } from './parse-name.js';
import { branch, type ExpressionParser, leaf, type ParsedExpression, parseList } from './parsed-expression.js';
import type { TokenCursor } from './token-cursor.js';

/** Number of arguments of the built-in methods. */
const methods: ReadonlyMap<string, number> = new Map([
  ['contains', 1],
  ['containsAll', 1],
  ['containsAny', 1],
  ['isEmpty', 0],
  ['getTag', 1],
  ['hasTag', 1],
]);

const extendedMethods: ReadonlyMap<string, number> = new Map([...methods, ['startsWith', 1], ['endsWith', 1]]);

const methodsOf = (dialect: PolicyDialect): ReadonlyMap<string, number> =>
  dialect === 'extended' ? extendedMethods : methods;

const extensionNames = (style: 'function' | 'method'): readonly string[] =>
  [...extensionSignatures].filter(([, signature]) => signature.style === style).map(([name]) => name);

const functionNames = extensionNames('function');
const extensionMethodNames = extensionNames('method');

/**
 * Checks that a method exists and that a built-in method has the right number of arguments. As in Cedar, the parser
 * accepts any number for an extension method; a wrong number is an evaluation error.
 */
const checkMethodArity = (cursor: TokenCursor, name: string, given: number, span: SourceSpan): void => {
  const known = methodsOf(cursor.dialect);
  const wanted = known.get(name);
  if (wanted === given) return;
  if (wanted !== undefined) {
    const count = wanted === 1 ? 'one argument' : 'no argument';
    cursor.report(`\`${name}\` takes ${count}, found ${given}`, span);
    return;
  }
  const signature = extensionSignatures.get(name);
  if (signature?.style === 'method') return;
  if (signature !== undefined) {
    cursor.report(`\`${name}\` is a function, not a method`, span, `write \`${name}(..)\``);
  } else if (extendedMethods.has(name)) {
    cursor.report(`\`${name}\` is not a method of Cedar`, span, 'use `like` with a star');
  } else {
    const near = didYouMean(name, [...known.keys(), ...extensionMethodNames]);
    cursor.report(`there is no method \`${abbreviateText(name)}\``, span, near);
  }
};

/**
 * Checks that a function exists. As in Cedar, the parser accepts any number of arguments. The `cedar` dialect also
 * accepts `unknown`, which then is an evaluation error.
 */
const checkFunction = (cursor: TokenCursor, name: string, span: SourceSpan): void => {
  const signature = extensionSignatures.get(name);
  if (signature?.style === 'function') return;
  if (signature !== undefined || methodsOf(cursor.dialect).has(name)) {
    cursor.report(`\`${name}\` is a method, not a function`, span, `write \`value.${name}(..)\``);
    return;
  }
  if (name === partialEvaluationFunction) {
    if (cursor.dialect === 'cedar') return;
    cursor.report(`\`${name}\` is a function of partial evaluation, which is not part of this language`, span);
    return;
  }
  cursor.report(`there is no function \`${abbreviateText(name)}\``, span, didYouMean(name, functionNames));
};

const variables: ReadonlySet<string> = new Set<RequestVariable>(['principal', 'action', 'resource', 'context']);
const isVariable = (name: string): name is RequestVariable => variables.has(name);

const recordForm = 'a record is written `{name: value}`';

const parseRecord = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const { start } = cursor.advance();
  const entries: { readonly name: string; readonly value: Expression }[] = [];
  const names = new Set<string>();
  let height = 0;
  while (!cursor.at('}')) {
    const key = cursor.token;
    if (key.kind !== 'identifier' && key.kind !== 'string') return cursor.unexpected('the name of an attribute or `}`');
    cursor.advance();
    if (key.kind === 'identifier') checkName(cursor, key);
    const name = key.kind === 'string' ? stringValue(cursor, key) : key.text;
    const hint = cursor.at('}') ? `${recordForm}; placeholders are not replaced` : recordForm;
    if (!cursor.expect(':', '`:` and the value of the attribute', hint)) return null;
    const value = parse(cursor);
    if (value === null) return null;
    if (names.has(name)) cursor.report(`the attribute \`${abbreviateText(name)}\` is given twice`, key);
    names.add(name);
    entries.push({ name, value: value.expression });
    height = Math.max(height, value.height);
    if (!cursor.take(',') && !cursor.at('}')) return cursor.unexpected('`,` or `}`');
  }
  cursor.advance();
  return branch(cursor, { kind: 'record', entries, span: cursor.spanFrom(start) }, height);
};

const parseCall = (cursor: TokenCursor, name: ParsedName, parse: ExpressionParser): ParsedExpression => {
  if (isVariable(name.name)) return cursor.report(`\`${name.name}\` cannot be called`, name.span);
  checkFunction(cursor, name.name, name.span);
  cursor.advance();
  const list = parseList(cursor, ')', parse);
  if (list === null) return null;
  const span = cursor.spanFrom(name.start);
  return branch(cursor, { kind: 'call', name: name.name, arguments: list.expressions, span }, list.height);
};

const strayName = (cursor: TokenCursor, { name, span, isPath }: ParsedName): null => {
  if (isPath) {
    return cursor.report(`\`${abbreviateText(name)}\` is not a value`, span, quotedEntity(name));
  }
  const near = wordHint(name) ?? didYouMean(name, ['true', 'false', ...variables]);
  return cursor.report(
    `\`${abbreviateText(name)}\` is not a value: there are \`principal\`, \`action\`, \`resource\` and \`context\``,
    span,
    near ?? `put quotes around a string: "${abbreviateText(name)}"`,
  );
};

const parseNamed = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const first = cursor.token;
  if (first.text === 'if') return cursor.report('an `if` inside an operation must be in parentheses', first);
  const name = parseName(cursor);
  if (name === null) return null;
  if (name.id !== null) {
    return leaf({ kind: 'entity', uid: { kind: 'entity', type: name.name, id: name.id }, span: name.span });
  }
  if (!name.isPath && (name.name === 'true' || name.name === 'false')) {
    return leaf({ kind: 'literal', value: name.name === 'true', span: name.span });
  }
  if (cursor.at('(')) return parseCall(cursor, name, parse);
  if (isVariable(name.name)) return leaf({ kind: 'variable', name: name.name, span: name.span });
  return strayName(cursor, name);
};

const parseEnclosed = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  if (cursor.at('{')) return parseRecord(cursor, parse);
  const { start, kind } = cursor.advance();
  if (kind === '[') {
    const list = parseList(cursor, ']', parse);
    if (list === null) return null;
    return branch(cursor, { kind: 'set', elements: list.expressions, span: cursor.spanFrom(start) }, list.height);
  }
  const inner = parse(cursor);
  return inner !== null && cursor.expect(')') ? inner : null;
};

/** A literal, an entity, a variable, a function call, a set, a record, or an expression in parentheses. */
const parsePrimary = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const { token } = cursor;
  const span = { start: token.start, end: token.end };
  switch (token.kind) {
    case 'number': {
      cursor.advance();
      return leaf({ kind: 'literal', value: integerValue(cursor, token, false), span });
    }
    case 'string': {
      cursor.advance();
      return leaf({ kind: 'literal', value: stringValue(cursor, token), span });
    }
    case 'identifier':
      return parseNamed(cursor, parse);
    case '(':
    case '[':
    case '{':
      return parseEnclosed(cursor, parse);
    case 'slot':
      return cursor.report(
        `\`${abbreviateText(token.text)}\` can only be in the scope of a template, not in a condition`,
        span,
      );
    default:
      return cursor.unexpected('an expression');
  }
};

type Parsed = NonNullable<ParsedExpression>;

const parseIndex = (cursor: TokenCursor, object: Parsed, start: number): ParsedExpression => {
  cursor.advance();
  if (!cursor.at('string')) return cursor.unexpected('the name of an attribute as a string, as in `["name"]`');
  const name = stringValue(cursor, cursor.advance());
  if (!cursor.expect(']')) return null;
  const { expression, height } = object;
  return branch(cursor, { kind: 'attribute', object: expression, name, span: cursor.spanFrom(start) }, height);
};

const dotHint = (cursor: TokenCursor, { expression }: Parsed): string | null => {
  if (cursor.at('string')) return 'write `["name"]` without the dot';
  const isFraction = cursor.at('number') && expression.kind === 'literal' && typeof expression.value === 'number';
  return isFraction ? 'a number with a fraction is written `decimal("1.5")`' : null;
};

const parseDot = (cursor: TokenCursor, object: Parsed, start: number, parse: ExpressionParser): ParsedExpression => {
  cursor.advance();
  const nameStart = cursor.token.start;
  const hint = dotHint(cursor, object);
  const name = parseIdentifier(cursor, 'the name of an attribute or method after `.`', hint);
  if (name === null) return null;
  const nameSpan = cursor.spanFrom(nameStart);
  const { expression, height } = object;
  if (!cursor.take('(')) {
    return branch(cursor, { kind: 'attribute', object: expression, name, span: cursor.spanFrom(start) }, height);
  }
  const list = parseList(cursor, ')', parse);
  if (list === null) return null;
  checkMethodArity(cursor, name, list.expressions.length, nameSpan);
  return branch(
    cursor,
    { kind: 'method', object: expression, name, arguments: list.expressions, span: cursor.spanFrom(start) },
    Math.max(height, list.height),
  );
};

/** A primary followed by any number of `.name`, `["name"]` and `.method(..)`. */
export const parseMember = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const { start } = cursor.token;
  let member = parsePrimary(cursor, parse);
  while (member !== null) {
    if (cursor.at('.')) member = parseDot(cursor, member, start, parse);
    else if (cursor.at('[')) member = parseIndex(cursor, member, start);
    else if (cursor.at('(')) return cursor.report('only names can be called', cursor.token);
    else return member;
  }
  return null;
};
