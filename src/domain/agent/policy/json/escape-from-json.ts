import { type ExactJsonObject, memberOf } from './exact-json.js';
import { type ExtensionCall, extensionCallOf } from './extension-call-from-json.js';
import { type TypeAndId, typeAndIdOf } from './uid-from-json.js';

/** What an object stands for that is no record. */
export type JsonEscape =
  | { readonly key: '__entity'; readonly entity: TypeAndId }
  | { readonly key: '__extn'; readonly call: ExtensionCall }
  | { readonly key: '__expr' };

/**
 * What an object stands for; null: it is a record. Cedar takes an object for an escape only where the reserved key is alone in
 * it and what is under the key has the very shape; any other is a record with a key of that name.
 */
export const escapeOf = (json: ExactJsonObject): JsonEscape | null => {
  const [key, ...others] = Object.keys(json);
  if (key === undefined || others.length > 0) return null;
  const inner = memberOf(json, key);
  if (key === '__expr') return typeof inner === 'string' ? { key } : null;
  if (key === '__entity') {
    const entity = typeAndIdOf(inner);
    return entity === null ? null : { key, entity };
  }
  if (key !== '__extn') return null;
  const call = extensionCallOf(inner);
  return call === null ? null : { key, call };
};
