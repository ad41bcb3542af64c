import type { SourceSpan } from '../source-lines.js';
import type { EntityUid, Value } from '../values/value.js';

/** The entity types of the gateway. */
export const modelEntityTypes = ['User', 'Anonymous', 'Role', 'Action', 'Resource'] as const;
export type ModelEntityType = (typeof modelEntityTypes)[number];

const entityTypeNames: ReadonlySet<string> = new Set(modelEntityTypes);
export const isModelEntityType = (name: string): name is ModelEntityType => entityTypeNames.has(name);

/** The request property that a value comes from, if that limits its possible values. */
export type ModelSource = 'path' | 'host' | 'query' | 'method' | 'auth_method' | 'client_ip';

export type PlainTypeName = 'bool' | 'long' | 'string' | 'decimal' | 'ipaddr' | 'datetime' | 'duration';

/** A value without attributes. */
export interface PlainType {
  readonly kind: 'plain';
  /** The name in messages. */
  readonly name: PlainTypeName;
  /** Null if any value of the type is possible. */
  readonly from: ModelSource | null;
  /** The value, if it is the same for each request; otherwise null. */
  readonly constant: Value | null;
}

export interface SetType {
  readonly kind: 'set';
  readonly element: ModelType;
  /** The elements of a set literal. */
  readonly members: readonly { readonly type: ModelType; readonly span: SourceSpan }[];
}

/** An entity of one of the types. */
export interface EntityType {
  readonly kind: 'entities';
  readonly types: readonly ModelEntityType[];
  /** The uid of an entity literal; otherwise null. */
  readonly uid: EntityUid | null;
}

/** The static type of an expression. */
export type ModelType =
  /** Any value, such as a claim. */
  | { readonly kind: 'unknown' }
  | PlainType
  | SetType
  /** A record with exactly these attributes; null allows any. */
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
const noAttributes: ReadonlyMap<string, ModelType> = new Map();

/** The attributes of each entity type, as gateway-principal and gateway-request set them. */
export const entityAttributes: Readonly<Record<ModelEntityType, ReadonlyMap<string, ModelType>>> = {
  User: user,
  Anonymous: user,
  Role: noAttributes,
  Action: noAttributes,
  Resource: resource,
};

/** The types that an entity can be `in`. Every entity is in itself. */
export const ancestorTypes: Readonly<Record<ModelEntityType, readonly ModelEntityType[]>> = {
  User: ['User', 'Role'],
  Anonymous: ['Anonymous'],
  Role: ['Role'],
  Action: ['Action'],
  Resource: ['Resource'],
};

export const principalTypes: readonly ModelEntityType[] = ['User', 'Anonymous'];

/** The types of `principal`, `action`, `resource` and `context`. */
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
