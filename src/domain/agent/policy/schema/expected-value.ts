import { qualified, type Schema, type SchemaType } from './schema.js';

/**
 * The type that a schema declares for a JSON value. It allows the value to omit `__entity` or `__extn`: an object is
 * an entity, or a string the argument of an extension function. Null, here and below: no such omission is allowed.
 */
export type ExpectedValue =
  | { readonly kind: 'entity' }
  | { readonly kind: 'extension'; readonly function: string }
  | { readonly kind: 'set'; element(): ExpectedValue | null }
  | { readonly kind: 'record'; attribute(name: string): ExpectedValue | null };

const constructors: ReadonlyMap<string, string> = new Map([
  ['decimal', 'decimal'],
  ['ipaddr', 'ip'],
  ['datetime', 'datetime'],
  ['duration', 'duration'],
]);
const ownNamespace = '__cedar::';
/** Maximum length of an alias chain: aliases in a schema may form a cycle. */
const maxAliases = 100;

const builtIn = (name: string): ExpectedValue | null => {
  const found = constructors.get(name.startsWith(ownNamespace) ? name.slice(ownNamespace.length) : name);
  return found === undefined ? null : { kind: 'extension', function: found };
};

const expectedOfName = (
  schema: Schema,
  { name, namespace }: Extract<SchemaType, { kind: 'name' }>,
  aliases: number,
): ExpectedValue | null => {
  if (aliases > maxAliases) return null;
  for (const candidate of [qualified(namespace, name), name]) {
    const common = schema.commonTypes.get(candidate);
    if (common !== undefined) return expectedOf(schema, common, aliases + 1);
    if (schema.entityTypes.has(candidate)) return { kind: 'entity' };
  }
  return builtIn(name);
};

/** The expected value for a schema type. */
export const expectedOf = (schema: Schema, type: SchemaType, aliases = 0): ExpectedValue | null => {
  if (type.kind === 'name') return expectedOfName(schema, type, aliases);
  if (type.kind === 'set') return { kind: 'set', element: () => expectedOf(schema, type.element) };
  const { attributes } = type;
  return {
    kind: 'record',
    attribute(name) {
      const attribute = attributes.get(name);
      return attribute === undefined ? null : expectedOf(schema, attribute);
    },
  };
};
