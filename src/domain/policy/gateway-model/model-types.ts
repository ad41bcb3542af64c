/** What the gateway's entities are, by type. */
export const modelEntityTypes = ['User', 'Anonymous', 'Role', 'Action', 'Resource'] as const;
export type ModelEntityType = (typeof modelEntityTypes)[number];

const entityTypeNames: ReadonlySet<string> = new Set(modelEntityTypes);
export const isModelEntityType = (name: string): name is ModelEntityType => entityTypeNames.has(name);

/** What an expression can come to, as far as it is known before there is a request. */
export type ModelType =
  /** Anything: what a claim holds. */
  | { readonly kind: 'unknown' }
  /** A value without attributes; `name` as messages call it. */
  | { readonly kind: 'plain'; readonly name: PlainTypeName }
  /** A record with these attributes and no others. */
  | { readonly kind: 'record'; readonly name: string; readonly attributes: ReadonlyMap<string, ModelType> }
  /** An entity of one of the types. */
  | { readonly kind: 'entities'; readonly types: readonly ModelEntityType[] };

export type PlainTypeName =
  | 'bool'
  | 'long'
  | 'string'
  | 'set'
  | 'set of strings'
  | 'decimal'
  | 'ipaddr'
  | 'datetime'
  | 'duration';

export const unknown: ModelType = { kind: 'unknown' };
export const plain = (name: PlainTypeName): ModelType => ({ kind: 'plain', name });
export const entities = (...types: readonly ModelEntityType[]): ModelType => ({ kind: 'entities', types });

const text = plain('string');
const user: ReadonlyMap<string, ModelType> = new Map([
  ['id', text],
  ['roles', plain('set of strings')],
  ['claims', unknown],
]);
const resource: ReadonlyMap<string, ModelType> = new Map([
  ['path', text],
  ['host', text],
  ['query', text],
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
  principal: entities(...principalTypes),
  action: entities('Action'),
  resource: entities('Resource'),
  context: {
    kind: 'record',
    name: 'the context',
    attributes: new Map([
      ['roles', plain('set of strings')],
      ['claims', unknown],
      ['method', text],
      ['client_ip', plain('ipaddr')],
      ['auth_method', text],
      ['correlation_id', text],
    ]),
  },
} as const satisfies Readonly<Record<string, ModelType>>;
