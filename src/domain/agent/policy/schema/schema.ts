import type { EntityUid } from '../values/value.js';

/** A type as written in a schema. A name resolves first in `namespace`, the one that it is written in. */
export type SchemaType =
  | { readonly kind: 'name'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'set'; readonly element: SchemaType }
  | { readonly kind: 'record'; readonly attributes: ReadonlyMap<string, SchemaType> };

export interface SchemaEntityType {
  /** Null if none are declared. */
  readonly attributes: SchemaType | null;
  readonly tags: SchemaType | null;
}

export interface SchemaAction {
  readonly uid: EntityUid;
  readonly parents: readonly EntityUid[];
  readonly context: SchemaType | null;
}

/** The data types of a schema. The principals and resources that an action applies to are not kept. */
export interface Schema {
  /** By qualified name. */
  readonly commonTypes: ReadonlyMap<string, SchemaType>;
  readonly entityTypes: ReadonlyMap<string, SchemaEntityType>;
  /** By `entityKey`. */
  readonly actions: ReadonlyMap<string, SchemaAction>;
}

/** A name qualified with a namespace. The empty namespace is the root. */
export const qualified = (namespace: string, name: string): string =>
  namespace === '' ? name : `${namespace}::${name}`;
