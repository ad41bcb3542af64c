import type { SourceSpan } from '../source-lines.js';
import type { EntityUid, Value } from '../values/value.js';

/** What the gateway's entities are, by type. */
export const modelEntityTypes = ['User', 'Anonymous', 'Role', 'Action', 'Resource'] as const;
export type ModelEntityType = (typeof modelEntityTypes)[number];

const entityTypeNames: ReadonlySet<string> = new Set(modelEntityTypes);
export const isModelEntityType = (name: string): name is ModelEntityType => entityTypeNames.has(name);

/** What a value is taken from, where not every value of its type can be there. */
export type ModelSource = 'path' | 'host' | 'query' | 'method' | 'auth_method' | 'client_ip';

export type PlainTypeName = 'bool' | 'long' | 'string' | 'decimal' | 'ipaddr' | 'datetime' | 'duration';

/** A value without attributes. */
export interface PlainType {
  readonly kind: 'plain';
  /** As messages call it. */
  readonly name: PlainTypeName;
  /** Null: any value of the type. */
  readonly from: ModelSource | null;
  /** The value, where it is the same for each request. */
  readonly constant: Value | null;
}

export interface SetType {
  readonly kind: 'set';
  readonly element: ModelType;
  /** Those of a set that is written out. */
  readonly members: readonly { readonly type: ModelType; readonly span: SourceSpan }[];
}

/** An entity of one of the types. */
export interface EntityType {
  readonly kind: 'entities';
  readonly types: readonly ModelEntityType[];
  /** The one, where it is named in full. */
  readonly uid: EntityUid | null;
}

/** What an expression can come to, as far as it is known before there is a request. */
export type ModelType =
  /** Anything: what a claim holds. */
  | { readonly kind: 'unknown' }
  | PlainType
  | SetType
  /** A record with these attributes and no others; null: with any. */
  | { readonly kind: 'record'; readonly name: string; readonly attributes: ReadonlyMap<string, ModelType> | null }
  | EntityType;

export const unknownType: ModelType = { kind: 'unknown' };
export const plain = (name: PlainTypeName, known: Partial<Pick<PlainType, 'from' | 'constant'>> = {}): PlainType => ({
  kind: 'plain',
  name,
  from: null,
  constant: null,
  ...known,
});
export const setOfType = (element: ModelType, members: SetType['members'] = []): SetType => ({
  kind: 'set',
  element,
  members,
});
export const entities = (types: readonly ModelEntityType[], uid: EntityUid | null = null): EntityType => ({
  kind: 'entities',
  types,
  uid,
});

const text = plain('string');
const textFrom = (from: ModelSource): PlainType => plain('string', { from });
const roles = setOfType(text);
const claims: ModelType = { kind: 'record', name: 'the claims', attributes: null };
const user: ReadonlyMap<string, ModelType> = new Map<string, ModelType>([
  ['id', text],
  ['roles', roles],
  ['claims', claims],
]);
const resource: ReadonlyMap<string, ModelType> = new Map([
  ['path', textFrom('path')],
  ['host', textFrom('host')],
  ['query', textFrom('query')],
]);
const nothing: ReadonlyMap<string, ModelType> = new Map();

/** The attributes of the entities of a type: what gateway-principal and gateway-request give them. */
export const entityAttributes: Readonly<Record<ModelEntityType, ReadonlyMap<string, ModelType>>> = {
  User: user,
  Anonymous: user,
  Role: nothing,
  Action: nothing,
  Resource: resource,
};

/** The types that an entity of a type can be in: every entity is in itself. */
export const typesAbove: Readonly<Record<ModelEntityType, readonly ModelEntityType[]>> = {
  User: ['User', 'Role'],
  Anonymous: ['Anonymous'],
  Role: ['Role'],
  Action: ['Action'],
  Resource: ['Resource'],
};

export const principalTypes: readonly ModelEntityType[] = ['User', 'Anonymous'];

/** What `principal`, `action`, `resource` and `context` are. */
export const variableTypes = {
  principal: entities(principalTypes),
  action: entities(['Action']),
  resource: entities(['Resource']),
  context: {
    kind: 'record',
    name: 'the context',
    attributes: new Map<string, ModelType>([
      ['roles', roles],
      ['claims', claims],
      ['method', textFrom('method')],
      ['client_ip', plain('ipaddr', { from: 'client_ip' })],
      ['auth_method', textFrom('auth_method')],
      ['correlation_id', text],
    ]),
  },
} as const satisfies Readonly<Record<string, ModelType>>;
