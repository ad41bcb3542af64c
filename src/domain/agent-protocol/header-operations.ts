import { canonicalName } from '../http/canonical-name.js';
import { isFieldValue, isToken } from '../http/field-syntax.js';
import { isHopByHop } from '../http/field-traits.js';
import type { HeaderList } from '../http/header-list.js';
import { err, ok, type Result } from '../shared/result.js';
import type { HeaderOperation } from './messages.js';

/** Largest number of operations in one answer, and in all answers about one message. More are malformed. */
export const maxHeaderOperations = 1024;

/** Largest total length, in characters, of names and values in all answers about one message. */
export const maxHeaderOperationCharacters = 262_144;

/** Fields that no agent may change, besides hop-by-hop fields: message framing and the id of the gateway. */
const untouchable: ReadonlySet<string> = new Set(['content-length', 'x-correlation-id']);

/** Whether agents may change a field, including spellings that a lenient parser takes for another field. */
const isTouchable = (name: string): boolean => {
  const canonical = canonicalName(name);
  return !untouchable.has(canonical) && !isHopByHop(canonical);
};

const matches = (name: string | undefined, lowerName: string): boolean =>
  name !== undefined && name.length === lowerName.length && name.toLowerCase() === lowerName;

/** Removes every field of a name from index `from` on, in place. */
const removeFrom = (fields: string[], lowerName: string, from: number): void => {
  let end = from;
  for (let index = from; index + 1 < fields.length; index += 2) {
    if (matches(fields[index], lowerName)) continue;
    fields[end] = fields[index] as string;
    fields[end + 1] = fields[index + 1] as string;
    end += 2;
  }
  fields.length = end;
};

const set = (fields: string[], lowerName: string, name: string, value: string): void => {
  for (let index = 0; index + 1 < fields.length; index += 2) {
    if (!matches(fields[index], lowerName)) continue;
    fields[index] = name;
    fields[index + 1] = value;
    removeFrom(fields, lowerName, index + 2);
    return;
  }
  fields.push(name, value);
};

const tooMany = (operations: readonly HeaderOperation[]): string | null =>
  operations.length > maxHeaderOperations ? `more than ${maxHeaderOperations} header operations` : null;

const tooLarge = (operations: readonly HeaderOperation[]): string | null => {
  let characters = 0;
  for (const operation of operations) {
    characters += operation.name.length + (operation.kind === 'remove' ? 0 : operation.value.length);
  }
  if (characters <= maxHeaderOperationCharacters) return null;
  return `header operations of more than ${maxHeaderOperationCharacters} characters`;
};

const invalid = (operations: readonly HeaderOperation[]): string | null => {
  for (const operation of operations) {
    if (!isToken(operation.name)) return 'a header operation has an invalid name';
    if (operation.kind !== 'remove' && !isFieldValue(operation.value)) {
      return `the value for ${operation.name} contains an invalid character`;
    }
  }
  return null;
};

/** The fault in the operations of one answer; null: none. The text contains no values, which may be secrets. */
export const operationsFault = (operations: readonly HeaderOperation[]): string | null =>
  tooMany(operations) ?? invalid(operations);

/** Like `operationsFault`, for all answers about one message together. */
export const headerOperationsFault = (operations: readonly HeaderOperation[]): string | null =>
  tooLarge(operations) ?? operationsFault(operations);

/** An effective operation, with its name also in lower case. */
interface PreparedOperation {
  readonly kind: HeaderOperation['kind'];
  readonly name: string;
  readonly lowerName: string;
  /** Empty with `remove`. */
  readonly value: string;
}

/** The effective operations of an answer. */
export interface PreparedOperations {
  readonly operations: readonly PreparedOperation[];
  /** All operations are `set`, with different names. If a message has none of these fields, they are appended. */
  readonly areSettings: boolean;
  /** A bit for the length of each name modulo 32. It excludes most fields of a message quickly. */
  readonly lengths: number;
}

const lengthBit = (name: string): number => 1 << (name.length & 31);

/** Selects the effective operations, see `applyHeaderOperations`. The error says why they are malformed. */
export const prepareOperations = (operations: readonly HeaderOperation[]): Result<PreparedOperations, string> => {
  const fault = operationsFault(operations);
  if (fault !== null) return err(fault);
  const prepared: PreparedOperation[] = [];
  const names = new Set<string>();
  let lengths = 0;
  for (const operation of operations) {
    const { kind, name } = operation;
    const lowerName = name.toLowerCase();
    if (!isTouchable(lowerName)) continue;
    // A request has exactly one Host (RFC 9112, section 3.2): agents may replace it, but not add or remove one.
    if (lowerName === 'host' && kind !== 'set') continue;
    prepared.push({ kind, name, lowerName, value: operation.kind === 'remove' ? '' : operation.value });
    names.add(lowerName);
    lengths |= lengthBit(lowerName);
  }
  const areSettings = names.size === prepared.length && prepared.every(({ kind }) => kind === 'set');
  return ok({ operations: prepared, areSettings, lengths });
};

/** Whether a message has one of the fields of the operations. */
const mayTouch = (headers: HeaderList, { operations, lengths }: PreparedOperations): boolean => {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if ((lengthBit(name) & lengths) === 0) continue;
    for (let place = 0; place < operations.length; place += 1) {
      if (matches(name, (operations[place] as PreparedOperation).lowerName)) return true;
    }
  }
  return false;
};

export const applyPrepared = (headers: HeaderList, prepared: PreparedOperations): HeaderList => {
  const { operations, areSettings } = prepared;
  if (operations.length === 0) return headers;
  const fields = headers.slice();
  const areNew = areSettings && !mayTouch(headers, prepared);
  for (let index = 0; index < operations.length; index += 1) {
    const { kind, name, lowerName, value } = operations[index] as PreparedOperation;
    if (areNew || kind === 'add') fields.push(name, value);
    else if (kind === 'set') set(fields, lowerName, name, value);
    else removeFrom(fields, lowerName, 0);
  }
  return fields;
};

/**
 * Applies operations in order. `set` replaces all fields of the name, in the place of the first; `add` appends one;
 * `remove` drops all. Names compare without case. Operations on hop-by-hop and framing fields and on X-Correlation-Id
 * have no effect in any spelling (`Content_Length`). Host can only be set. On an error no operation was applied.
 */
export const applyHeaderOperations = (
  headers: HeaderList,
  operations: readonly HeaderOperation[],
): Result<HeaderList, string> => {
  if (operations.length === 0) return ok(headers);
  const prepared = prepareOperations(operations);
  return prepared.ok ? ok(applyPrepared(headers, prepared.value)) : prepared;
};
