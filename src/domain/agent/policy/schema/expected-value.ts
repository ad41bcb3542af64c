import { qualified, type Schema, type SchemaType } from './schema.js';

/**
 * What a schema lets a JSON value leave unsaid: that an object is the name of an entity, or a text the argument of an
 * extension function. Null, here and below: the value says all itself.
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
/** Names that stand for names, at most: a schema could have them in a circle. */
const longestAlias = 100;

const builtIn = (name: string): ExpectedValue | null => {
  const found = constructors.get(name.startsWith(ownNamespace) ? name.slice(ownNamespace.length) : name);
  return found === undefined ? null : { kind: 'extension', function: found };
};

const expectedOfName = (
  schema: Schema,
  { name, namespace }: Extract<SchemaType, { kind: 'name' }>,
  aliases: number,
): ExpectedValue | null => {
  if (aliases > longestAlias) return null;
  for (const candidate of [qualified(namespace, name), name]) {
    const common = schema.commonTypes.get(candidate);
    if (common !== undefined) return expectedOf(schema, common, aliases + 1);
    if (schema.entityTypes.has(candidate)) return { kind: 'entity' };
  }
  return builtIn(name);
};

/** What is expected where a schema gives this type. */
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
