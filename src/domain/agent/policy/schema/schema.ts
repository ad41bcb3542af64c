import type { EntityUid } from '../values/value.js';

/** A type as a schema writes it. A name is looked up where the namespace that it stands in is known. */
export type SchemaType =
  | { readonly kind: 'name'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'set'; readonly element: SchemaType }
  | { readonly kind: 'record'; readonly attributes: ReadonlyMap<string, SchemaType> };

export interface SchemaEntityType {
  /** Null: none are declared. */
  readonly attributes: SchemaType | null;
  readonly tags: SchemaType | null;
}

export interface SchemaAction {
  readonly uid: EntityUid;
  readonly parents: readonly EntityUid[];
  readonly context: SchemaType | null;
}

/** What a schema says of the shape of data. What it says of policies, who may do what to which, is not kept. */
export interface Schema {
  /** By qualified name. */
  readonly commonTypes: ReadonlyMap<string, SchemaType>;
  readonly entityTypes: ReadonlyMap<string, SchemaEntityType>;
  /** By `entityKey`. */
  readonly actions: ReadonlyMap<string, SchemaAction>;
}

/** A name as it is meant within a namespace; the empty namespace is the outermost. */
export const qualified = (namespace: string, name: string): string =>
  namespace === '' ? name : `${namespace}::${name}`;
