import { canonicalName } from '../http/canonical-name.js';
import { isFieldValue, isToken } from '../http/field-syntax.js';
import { isHopByHop } from '../http/field-traits.js';
import type { HeaderList } from '../http/header-list.js';
import { err, ok, type Result } from '../shared/result.js';
import type { HeaderOperation } from './messages.js';

/** Operations of one answer at most, and of all answers about one message; more are malformed. */
export const maxHeaderOperations = 1024;

/** Characters of the names and values of all answers about one message at most: in a dialogue each may add some. */
export const maxHeaderOperationCharacters = 262_144;

/**
 * What no agent may touch beside the hop-by-hop fields: what frames a message, and the id that belongs to the
 * gateway.
 */
const untouchable: ReadonlySet<string> = new Set(['content-length', 'x-correlation-id']);

/** Whether agents may touch a field, in whichever spelling a careless reader would take it for another. */
const isTouchable = (name: string): boolean => {
  const canonical = canonicalName(name);
  return !untouchable.has(canonical) && !isHopByHop(canonical);
};

const matches = (name: string | undefined, lowerName: string): boolean =>
  name !== undefined && name.length === lowerName.length && name.toLowerCase() === lowerName;

/** Removes every field of a name behind `from`, in place. */
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
    if (!isToken(operation.name)) return 'a header operation names no header';
    if (operation.kind !== 'remove' && !isFieldValue(operation.value)) {
      return `the value for ${operation.name} holds a character that no header may`;
    }
  }
  return null;
};

/** What is wrong with the operations of one answer, or null. The text holds no value: values may be secrets. */
export const operationsFault = (operations: readonly HeaderOperation[]): string | null =>
  tooMany(operations) ?? invalid(operations);

/** The same of those of all answers about one message, which have to stay within bounds together. */
export const headerOperationsFault = (operations: readonly HeaderOperation[]): string | null =>
  tooLarge(operations) ?? operationsFault(operations);

/** An operation that has something to do, its name in lower case too. */
interface PreparedOperation {
  readonly kind: HeaderOperation['kind'];
  readonly name: string;
  readonly lowerName: string;
  /** Empty with `remove`. */
  readonly value: string;
}

/** Those of operations that have something to do. */
export interface PreparedOperations {
  readonly operations: readonly PreparedOperation[];
  /**
   * They set fields, each another one, and do nothing else: where a message has none of them, they are put behind its
   * own.
   */
  readonly areSettings: boolean;
  /**
   * A bit for the length of each name, the lengths counted modulo 32: most fields of a message are told apart by it.
   */
  readonly lengths: number;
}

const lengthBit = (name: string): number => 1 << (name.length & 31);

/**
 * Those of operations that have something to do, see `applyHeaderOperations`. The error says why they are malformed.
 */
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
    // A request has exactly one Host (RFC 9112, section 3.2): it can be another one, but not two or none.
    if (lowerName === 'host' && kind !== 'set') continue;
    prepared.push({ kind, name, lowerName, value: operation.kind === 'remove' ? '' : operation.value });
    names.add(lowerName);
    lengths |= lengthBit(lowerName);
  }
  const areSettings = names.size === prepared.length && prepared.every(({ kind }) => kind === 'set');
  return ok({ operations: prepared, areSettings, lengths });
};

/** Whether a message may have one of the fields that operations are about. */
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
 * Applies operations in their order: `set` replaces every field of the name (in the place of the first), `add`
 * appends one, `remove` drops all. Names compare without case. Operations on hop-by-hop and framing fields and on
 * X-Correlation-Id do nothing, however these are spelt (`Content_Length`), and Host can only be set, by that very
 * name. The error says why the operations are malformed; then none was applied.
 */
export const applyHeaderOperations = (
  headers: HeaderList,
  operations: readonly HeaderOperation[],
): Result<HeaderList, string> => {
  if (operations.length === 0) return ok(headers);
  const prepared = prepareOperations(operations);
  return prepared.ok ? ok(applyPrepared(headers, prepared.value)) : prepared;
};
