import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import { shortenedText } from '../shortened-text.js';
import type { Expression, RequestVariable } from '../syntax-tree.js';
import { integerValue } from './integer-value.js';
import { checkFunction } from './methods.js';
import { wordHint } from './near-misses.js';
import { checkName, type ParsedName, parseName, quotedEntity, stringValue } from './parse-name.js';
import { branch, type ExpressionParser, leaf, type ParsedExpression, parseList } from './parsed-expression.js';
import type { TokenCursor } from './token-cursor.js';

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
    const hint = cursor.at('}') ? `${recordForm}; a placeholder is not filled in` : recordForm;
    if (!cursor.expect(':', '`:` and the value of the attribute', hint)) return null;
    const value = parse(cursor);
    if (value === null) return null;
    if (names.has(name)) cursor.report(`the attribute \`${shortenedText(name)}\` is given twice`, key);
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
    return cursor.report(`\`${shortenedText(name)}\` is not a value`, span, quotedEntity(name));
  }
  const near = wordHint(name) ?? didYouMean(name, ['true', 'false', ...variables]);
  return cursor.report(
    `\`${shortenedText(name)}\` is not a value: there are \`principal\`, \`action\`, \`resource\` and \`context\``,
    span,
    near ?? `a text has quotes: "${shortenedText(name)}"`,
  );
};

const parseNamed = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const first = cursor.token;
  if (first.text === 'if') return cursor.report('an `if` inside an operation has to be in parentheses', first);
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
export const parsePrimary = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
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
        `\`${shortenedText(token.text)}\` can only be in the scope of a template, not in a condition`,
        span,
      );
    default:
      return cursor.unexpected('an expression');
  }
};
