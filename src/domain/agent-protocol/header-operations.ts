import { canonicalName } from '../http/canonical-name.js';
import { isFieldValue, isToken } from '../http/field-syntax.js';
import type { HeaderList } from '../http/header-list.js';
import { isHopByHop } from '../http/hop-by-hop-headers.js';
import { err, ok, type Result } from '../shared/result.js';
import type { HeaderOperation } from './messages.js';

/** Operations of one answer at the most, and of all answers about one message; more are malformed. */
export const maxHeaderOperations = 1024;

/** Characters of the names and values of all answers about one message at the most: in a dialogue each may add some. */
export const maxHeaderOperationCharacters = 262_144;

/** What no agent may touch beside the hop-by-hop fields: what frames a message, and the id that belongs to the gateway. */
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

/**
 * Applies operations in their order: `set` replaces every field of the name (in the place of the first), `add` appends
 * one, `remove` drops all. Names compare without case. Operations on hop-by-hop and framing fields and on X-Correlation-Id do
 * nothing, however these are spelt (`Content_Length`), and Host can only be set, by that very name. The error says why the operations are malformed; then none was applied.
 */
export const applyHeaderOperations = (
  headers: HeaderList,
  operations: readonly HeaderOperation[],
): Result<HeaderList, string> => {
  if (operations.length === 0) return ok(headers);
  const fault = operationsFault(operations);
  if (fault !== null) return err(fault);
  const fields = [...headers];
  for (const operation of operations) {
    const lowerName = operation.name.toLowerCase();
    if (!isTouchable(lowerName)) continue;
    // A request has exactly one Host (RFC 9112, section 3.2): it can be another one, but not two or none.
    if (lowerName === 'host' && operation.kind !== 'set') continue;
    if (operation.kind === 'set') set(fields, lowerName, operation.name, operation.value);
    else if (operation.kind === 'add') fields.push(operation.name, operation.value);
    else removeFrom(fields, lowerName, 0);
  }
  return ok(fields);
};
