import type { ModelEntityType, ModelType } from './model-types.js';

export const listed = (names: readonly string[], last: 'and' | 'or'): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;

/** Cedar's name of the kind of value; null if unknown. */
export const kindName = (type: ModelType): string | null => {
  if (type.kind === 'plain') return type.name;
  if (type.kind === 'entities') return 'entity';
  return type.kind === 'unknown' ? null : type.kind;
};

const severalOf: Readonly<Record<string, string>> = { string: 'strings', long: 'longs', entity: 'entities' };

/** As `kindName`, with the element type of a set. */
export const describeType = (type: ModelType): string | null => {
  const several = type.kind === 'set' ? severalOf[kindName(type.element) ?? ''] : undefined;
  return several === undefined ? kindName(type) : `set of ${several}`;
};

/** Names the owner of an attribute in messages. */
export const ownerText = (type: ModelType): string => {
  if (type.kind === 'record') return type.name;
  if (type.kind === 'entities') return `an entity of type ${listed(type.types, 'or')}`;
  return type.kind === 'unknown' ? 'it' : `a value of type ${describeType(type)}`;
};

const idAttributes: Readonly<Record<ModelEntityType, string | null>> = {
  User: 'principal.id',
  Anonymous: 'principal.id',
  Role: null,
  Action: 'context.method',
  Resource: 'resource.path',
};

/** The attribute that holds the entity's id as a string; null if there is none. */
export const idAttribute = ([first]: readonly ModelEntityType[]): string | null =>
  first === undefined ? null : idAttributes[first];
