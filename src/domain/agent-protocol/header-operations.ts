import { isFieldValue, isToken } from '../http/field-syntax.js';
import type { HeaderList } from '../http/header-list.js';
import { isHopByHop } from '../http/hop-by-hop-headers.js';
import { err, ok, type Result } from '../shared/result.js';
import type { HeaderOperation } from './messages.js';

/** Operations of one answer at the most; more are a malformed answer. */
export const maxHeaderOperations = 1024;

/** Whether agents may touch a field: no hop-by-hop field, nothing that frames a message. */
const isTouchable = (lowerName: string): boolean => lowerName !== 'content-length' && !isHopByHop(lowerName);

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

/** What is wrong with operations, or null. The text holds no value: values may be secrets. */
export const headerOperationsFault = (operations: readonly HeaderOperation[]): string | null => {
  if (operations.length > maxHeaderOperations) return `more than ${maxHeaderOperations} header operations`;
  for (const operation of operations) {
    if (!isToken(operation.name)) return 'a header operation names no header';
    if (operation.kind !== 'remove' && !isFieldValue(operation.value)) {
      return `the value for ${operation.name} holds a character that no header may`;
    }
  }
  return null;
};

/**
 * Applies operations in their order: `set` replaces every field of the name (in the place of the first), `add` appends
 * one, `remove` drops all. Names compare without case. Operations on hop-by-hop and framing fields do nothing, and Host
 * can only be set. The error says why the operations are malformed; then none was applied.
 */
export const applyHeaderOperations = (
  headers: HeaderList,
  operations: readonly HeaderOperation[],
): Result<HeaderList, string> => {
  if (operations.length === 0) return ok(headers);
  const fault = headerOperationsFault(operations);
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
