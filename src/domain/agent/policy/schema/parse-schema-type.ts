import type { SchemaType } from './schema.js';
import type { SchemaScanner } from './schema-scanner.js';

/** Sets and records within each other, at the most. */
const maximumDepth = 64;

/** Reads items up to the closing word, with commas between them and perhaps one after the last. */
export const parseSchemaList = (scanner: SchemaScanner, close: string, item: () => void): void => {
  while (!scanner.isAtEnd && scanner.word !== close) {
    item();
    if (!scanner.take(',')) break;
  }
  scanner.expect(close);
};

export const parseSchemaAnnotations = (scanner: SchemaScanner): void => {
  while (scanner.take('@')) {
    scanner.takeIdentifier(true);
    if (!scanner.take('(')) continue;
    scanner.takeString();
    scanner.expect(')');
  }
};

/** A name of an attribute or an action: an identifier or any string. */
export const parseSchemaName = (scanner: SchemaScanner): string =>
  scanner.isAtString ? scanner.takeString() : scanner.takeIdentifier();

/** `A::B::C` */
export const parsePath = (scanner: SchemaScanner): string => {
  let path = scanner.takeIdentifier();
  while (scanner.take('::')) path += `::${scanner.takeIdentifier()}`;
  return path;
};

/** Reads the rest of a record, after its opening brace. */
export const parseRecordType = (scanner: SchemaScanner, namespace: string, depth = 0): SchemaType => {
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

export const parseType = (scanner: SchemaScanner, namespace: string, depth = 0): SchemaType => {
  if (depth > maximumDepth) scanner.fail(`a type that is nested at most ${maximumDepth} deep`);
  if (scanner.take('{')) return parseRecordType(scanner, namespace, depth);
  const name = parsePath(scanner);
  if (name !== 'Set' || !scanner.take('<')) return { kind: 'name', name, namespace };
  const element = parseType(scanner, namespace, depth + 1);
  scanner.expect('>');
  return { kind: 'set', element };
};
