import { err, ok, type Result } from '../../../shared/result.js';
import { reservedWords } from '../parse/token.js';
import { unescapeText } from '../parse/unescape-text.js';
import { sourceLines } from '../source-lines.js';
import { entityKey, entityUid } from '../values/entity-uid.js';
import type { EntityUid } from '../values/value.js';
import { qualified, type Schema, type SchemaAction, type SchemaEntityType, type SchemaType } from './schema.js';

const blankPattern = /(?:\s|\/\/[^\n\r]*)*/y;
const tokenPattern = /[A-Za-z_][A-Za-z0-9_]*|"(?:[^"\\]|\\.)*"|::|[,;:{}[\]<>=?@()]/sy;
const wordPattern = /^[A-Za-z_]/;

/**
 * Reads the tokens of a schema one by one. Stops at the first failure and keeps it.
 */
class SchemaScanner {
  readonly #text: string;
  #start = 0;
  #end = 0;
  #failure: string | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#next();
  }

  /** The next token; empty at the end and after a failure. */
  get word(): string {
    return this.#failure === null ? this.#text.slice(this.#start, this.#end) : '';
  }

  /** The first failure, with line and column. */
  get failure(): string | null {
    return this.#failure;
  }

  get isAtEnd(): boolean {
    return this.#failure !== null || this.#start >= this.#text.length;
  }

  fail(expected: string): void {
    const { line, column } = sourceLines(this.#text).positionAt(this.#start);
    this.#failure ??= `line ${line}, column ${column}: expected ${expected}`;
  }

  /** Consumes the token if it is next. */
  take(word: string): boolean {
    if (this.word !== word) return false;
    this.#next();
    return true;
  }

  /** Consumes the token; fails if it is not next. */
  expect(word: string): void {
    if (!this.take(word)) this.fail(JSON.stringify(word));
  }

  /** Consumes an identifier. Fails on a reserved word unless `any` is true. */
  takeIdentifier(any = false): string {
    const word = this.word;
    if (!wordPattern.test(word) || (!any && reservedWords.has(word) && word !== '__cedar')) {
      this.fail('a name');
      return '';
    }
    this.#next();
    return word;
  }

  get isAtString(): boolean {
    return this.word.startsWith('"');
  }

  takeString(): string {
    if (!this.isAtString) {
      this.fail('a string');
      return '';
    }
    const text = unescapeText(this.#text, this.#start + 1, this.#end - 1);
    if (!text.ok) this.fail('a string with valid escapes');
    this.#next();
    return text.ok ? text.value : '';
  }

  #next(): void {
    if (this.#failure !== null) return;
    blankPattern.lastIndex = this.#end;
    blankPattern.exec(this.#text);
    this.#start = blankPattern.lastIndex;
    tokenPattern.lastIndex = this.#start;
    const found = tokenPattern.exec(this.#text);
    this.#end = this.#start + (found?.[0].length ?? 0);
    if (found === null && this.#start < this.#text.length) this.fail('a schema token');
  }
}

/** Maximum nesting of sets and records. */
const maximumDepth = 64;

/** Reads comma-separated items up to the closing token. A trailing comma is allowed. */
const parseSchemaList = (scanner: SchemaScanner, close: string, item: () => void): void => {
  while (!scanner.isAtEnd && scanner.word !== close) {
    item();
    if (!scanner.take(',')) break;
  }
  scanner.expect(close);
};

const parseSchemaAnnotations = (scanner: SchemaScanner): void => {
  while (scanner.take('@')) {
    scanner.takeIdentifier(true);
    if (!scanner.take('(')) continue;
    scanner.takeString();
    scanner.expect(')');
  }
};

/** The name of an attribute or an action: an identifier or any string. */
const parseSchemaName = (scanner: SchemaScanner): string =>
  scanner.isAtString ? scanner.takeString() : scanner.takeIdentifier();

/** `A::B::C` */
const parsePath = (scanner: SchemaScanner): string => {
  let path = scanner.takeIdentifier();
  while (scanner.take('::')) path += `::${scanner.takeIdentifier()}`;
  return path;
};

/** Reads the rest of a record, after its opening brace. */
const parseRecordType = (scanner: SchemaScanner, namespace: string, depth = 0): SchemaType => {
  const attributes = new Map<string, SchemaType>();
  parseSchemaList(scanner, '}', () => {
    parseSchemaAnnotations(scanner);
    const name = parseSchemaName(scanner);
    scanner.take('?');
    scanner.expect(':');
    attributes.set(name, parseType(scanner, namespace, depth + 1));
  });
  return { kind: 'record', attributes };
};

const parseType = (scanner: SchemaScanner, namespace: string, depth = 0): SchemaType => {
  if (depth > maximumDepth) scanner.fail(`a type that is nested at most ${maximumDepth} deep`);
  if (scanner.take('{')) return parseRecordType(scanner, namespace, depth);
  const name = parsePath(scanner);
  if (name !== 'Set' || !scanner.take('<')) return { kind: 'name', name, namespace };
  const element = parseType(scanner, namespace, depth + 1);
  scanner.expect('>');
  return { kind: 'set', element };
};

/** Parents are resolved after all actions are declared. `type` is null if only the id is given. */
interface DeclaredAction {
  readonly uid: EntityUid;
  readonly namespace: string;
  readonly parents: readonly { readonly type: string | null; readonly id: string }[];
  readonly context: SchemaType | null;
}

interface Declarations {
  readonly scanner: SchemaScanner;
  readonly commonTypes: Map<string, SchemaType>;
  readonly entityTypes: Map<string, SchemaEntityType>;
  readonly actions: Map<string, DeclaredAction>;
}

/** One item, or a list of them in brackets. */
const parseOneOrList = (scanner: SchemaScanner, item: () => void): void =>
  scanner.take('[') ? parseSchemaList(scanner, ']', item) : item();

const parseNames = (scanner: SchemaScanner, name: () => string): readonly string[] => {
  const names = [name()];
  while (scanner.take(',')) names.push(name());
  return names;
};

const parseEntity = ({ scanner, entityTypes }: Declarations, namespace: string): void => {
  const names = parseNames(scanner, () => scanner.takeIdentifier());
  let attributes: SchemaType | null = null;
  let tags: SchemaType | null = null;
  if (scanner.take('enum')) parseOneOrList(scanner, () => scanner.takeString());
  else {
    if (scanner.take('in')) parseOneOrList(scanner, () => parsePath(scanner));
    if (scanner.take('=') && scanner.word !== '{') scanner.fail('"{"');
    if (scanner.take('{')) attributes = parseRecordType(scanner, namespace);
    if (scanner.take('tags')) tags = parseType(scanner, namespace);
  }
  scanner.expect(';');
  for (const name of names) entityTypes.set(qualified(namespace, name), { attributes, tags });
};

const parseActionReference = (scanner: SchemaScanner): { type: string | null; id: string } => {
  if (scanner.isAtString) return { type: null, id: scanner.takeString() };
  let path = scanner.takeIdentifier();
  let isQualified = false;
  while (scanner.take('::')) {
    if (scanner.isAtString) return { type: path, id: scanner.takeString() };
    isQualified = true;
    path += `::${scanner.takeIdentifier()}`;
  }
  if (isQualified) scanner.fail('"::" and the name of an action as a string');
  return { type: null, id: path };
};

/** Reads the block after `appliesTo`. Only the context type is kept. */
const parseAppliesTo = (scanner: SchemaScanner, namespace: string): SchemaType | null => {
  let context: SchemaType | null = null;
  scanner.expect('{');
  parseSchemaList(scanner, '}', () => {
    const isContext = scanner.take('context');
    if (!isContext && !scanner.take('principal') && !scanner.take('resource')) {
      scanner.fail('principal, resource or context');
    }
    scanner.expect(':');
    if (isContext) context = parseType(scanner, namespace);
    else parseOneOrList(scanner, () => parsePath(scanner));
  });
  return context;
};

const parseAction = ({ scanner, actions }: Declarations, namespace: string): void => {
  const names = parseNames(scanner, () => parseSchemaName(scanner));
  const parents: { type: string | null; id: string }[] = [];
  if (scanner.take('in')) parseOneOrList(scanner, () => parents.push(parseActionReference(scanner)));
  const context = scanner.take('appliesTo') ? parseAppliesTo(scanner, namespace) : null;
  if (scanner.take('attributes')) {
    scanner.expect('{');
    scanner.expect('}');
  }
  scanner.expect(';');
  for (const name of names) {
    const uid = entityUid(qualified(namespace, 'Action'), name);
    actions.set(entityKey(uid), { uid, namespace, parents, context });
  }
};

const parseCommonType = ({ scanner, commonTypes }: Declarations, namespace: string): void => {
  const name = scanner.takeIdentifier();
  scanner.expect('=');
  commonTypes.set(qualified(namespace, name), parseType(scanner, namespace));
  scanner.expect(';');
};

const parseDeclaration = (declarations: Declarations, namespace: string): void => {
  const { scanner } = declarations;
  parseSchemaAnnotations(scanner);
  if (scanner.take('entity')) parseEntity(declarations, namespace);
  else if (scanner.take('action')) parseAction(declarations, namespace);
  else if (scanner.take('type')) parseCommonType(declarations, namespace);
  else if (namespace !== '' || !scanner.take('namespace')) scanner.fail('a declaration');
  else {
    const name = parsePath(scanner);
    scanner.expect('{');
    while (!scanner.isAtEnd && scanner.word !== '}') parseDeclaration(declarations, name);
    scanner.expect('}');
  }
};

/** Resolves a parent in the action's namespace if it is declared there, otherwise as written. */
const resolveParents = (
  { namespace, parents }: DeclaredAction,
  actions: Declarations['actions'],
): readonly EntityUid[] =>
  parents.map(({ type, id }) => {
    const near = entityUid(qualified(namespace, type ?? 'Action'), id);
    return actions.has(entityKey(near)) ? near : entityUid(type ?? 'Action', id);
  });

const resolveActions = (actions: Declarations['actions']): ReadonlyMap<string, SchemaAction> =>
  new Map(
    [...actions].map(([key, action]) => [
      key,
      { uid: action.uid, parents: resolveParents(action, actions), context: action.context },
    ]),
  );

/**
 * Reads the types of data from a schema in Cedar's syntax. It does not validate the schema: one that Cedar refuses may
 * pass.
 */
export const parseSchema = (text: string): Result<Schema, string> => {
  const scanner = new SchemaScanner(text);
  const declarations = { scanner, commonTypes: new Map(), entityTypes: new Map(), actions: new Map() };
  while (!scanner.isAtEnd) parseDeclaration(declarations, '');
  if (scanner.failure !== null) return err(scanner.failure);
  const { commonTypes, entityTypes, actions } = declarations;
  return ok({ commonTypes, entityTypes, actions: resolveActions(actions) });
};
