import { err, ok, type Result } from '../../../shared/result.js';
import { abbreviateText, quoteName } from '../abbreviate-text.js';
import { isError } from '../evaluate/evaluation-error.js';
import { extensionFunction } from '../extensions/extension-functions.js';
import { extensionSignatures, partialEvaluationFunction } from '../extensions/extension-signatures.js';
import type { ExpectedValue } from '../schema/expected-value.js';
import { longFromBigint } from '../values/long.js';
import { recordOf } from '../values/record-value.js';
import { setOf } from '../values/set-value.js';
import type { Long, Value } from '../values/value.js';
import { type ExactJson, type ExactJsonObject, isExactObject, memberOf, UnusableNumber } from './exact-json.js';
import { below, expressionFailure, formatJsonFailure, type JsonFailure, jsonFailure } from './json-failure.js';
import { entityOf, readUid, type TypeAndId, typeAndIdOf } from './uid-from-json.js';

/** A call of an extension function. For a method, the receiver is the first argument. */
interface ExtensionCall {
  readonly name: string;
  readonly arguments: readonly ExactJson[];
}

/**
 * Reads `{"fn": "ip", "arg": "10.0.0.1"}` or `{"fn": "offset", "args": [..., ...]}`; null for any other shape. Ignores
 * other keys, and "args" beside "arg", as Cedar does.
 */
const extensionCallOf = (json: ExactJson | undefined): ExtensionCall | null => {
  if (!isExactObject(json)) return null;
  const name = memberOf(json, 'fn');
  const arg = memberOf(json, 'arg');
  const args = memberOf(json, 'args');
  if (typeof name !== 'string') return null;
  if (arg !== undefined) return { name, arguments: [arg] };
  return Array.isArray(args) ? { name, arguments: args } : null;
};

/** Checks that the function exists and takes this number of arguments. */
const checkExtensionCall = ({ name, arguments: values }: ExtensionCall): Result<null, JsonFailure> => {
  // Cedar accepts it in data for partial evaluation, which is not supported here.
  if (name === partialEvaluationFunction) return jsonFailure(`"${name}" is not supported: give a known value`);
  const signature = extensionSignatures.get(name);
  if (signature === undefined) return jsonFailure(`there is no extension function ${quoteName(name)}`);
  const expected = signature.parameters + (signature.style === 'method' ? 1 : 0);
  if (values.length !== expected) return jsonFailure(`${name} takes ${expected}, not ${values.length} arguments`);
  return ok(null);
};

/** An object that denotes something other than a record. */
type JsonEscape =
  | { readonly key: '__entity'; readonly entity: TypeAndId }
  | { readonly key: '__extn'; readonly call: ExtensionCall }
  | { readonly key: '__expr' };

/**
 * The escape that an object denotes; null if it is a record. Cedar treats an object as an escape only if the reserved
 * key is its only key and its value has the exact shape. Any other object is a record with a key of that name.
 */
const escapeOf = (json: ExactJsonObject): JsonEscape | null => {
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

type Located<T> = Result<T, JsonFailure>;
type Expected = ExpectedValue | null;

/** Maximum nesting of sets, records and extension calls. */
export const maximumValueDepth = 64;

const longFromJson = (json: Long | UnusableNumber): Located<Value> => {
  // Adding zero turns -0 into 0, the only zero of Cedar.
  if (typeof json === 'number' && Number.isSafeInteger(json)) return ok(json + 0);
  const long = typeof json === 'bigint' ? longFromBigint(json) : null;
  if (long !== null) return ok(long);
  const text = json instanceof UnusableNumber ? json.text : String(json);
  return jsonFailure(`${abbreviateText(text)} is not a 64-bit integer`);
};

const tooDeep = (): Located<never> => jsonFailure(`the value is nested more than ${maximumValueDepth} deep`);

const valuesFromJson = (
  items: readonly ExactJson[],
  depth: number,
  expected: Expected = null,
): Located<readonly Value[]> => {
  const values: Value[] = [];
  for (const [index, item] of items.entries()) {
    const value = read(item, depth, expected);
    if (!value.ok) return below(index, value.error);
    values.push(value.value);
  }
  return ok(values);
};

const applyExtension = (name: string, values: readonly Value[]): Located<Value> => {
  const apply = extensionFunction(name);
  if (apply === undefined) return jsonFailure(`there is no extension function ${quoteName(name)}`);
  const outcome = apply(values);
  return isError(outcome) ? jsonFailure(outcome.message) : ok(outcome);
};

const callExtension = (call: ExtensionCall, depth: number): Located<Value> => {
  const checked = checkExtensionCall(call);
  if (!checked.ok) return checked;
  const values = valuesFromJson(call.arguments, depth);
  return values.ok ? applyExtension(call.name, values.value) : values;
};

/** Cedar ignores some keys of an escape, but it refuses numbers beyond 64 bits in them. */
const checkNumbers = (json: ExactJson, depth: number): Located<null> => {
  if (typeof json === 'number' || typeof json === 'bigint' || json instanceof UnusableNumber) {
    const long = longFromJson(json);
    return long.ok ? ok(null) : long;
  }
  if (typeof json !== 'object' || json === null) return ok(null);
  if (depth >= maximumValueDepth) return tooDeep();
  for (const [step, member] of isArray(json) ? json.entries() : Object.entries(json)) {
    const checked = checkNumbers(member, depth + 1);
    if (!checked.ok) return below(step, checked.error);
  }
  return ok(null);
};

const valueOfEscape = (escaped: JsonEscape, depth: number): Located<Value> => {
  if (escaped.key === '__expr') return expressionFailure();
  const value = escaped.key === '__entity' ? entityOf(escaped.entity) : callExtension(escaped.call, depth);
  return value.ok ? value : below(escaped.key, value.error);
};

const objectFromJson = (json: ExactJsonObject, depth: number, expected: Expected): Located<Value> => {
  const escaped = escapeOf(json);
  if (escaped !== null) {
    const checked = checkNumbers(json, depth - 1);
    return checked.ok ? valueOfEscape(escaped, depth) : checked;
  }
  if (expected?.kind === 'extension') {
    const call = extensionCallOf(memberOf(json, '__extn')) ?? extensionCallOf(json);
    return call === null
      ? jsonFailure('an extension value must be {"fn": ..., "arg": ...}')
      : callExtension(call, depth);
  }
  const members = membersFromJson(json, depth, expected);
  return members.ok ? ok(recordOf(members.value)) : members;
};

const read = (json: ExactJson, depth: number, expected: Expected): Located<Value> => {
  if (expected?.kind === 'entity') return readUid(json);
  if (typeof json === 'string' && expected?.kind === 'extension') return applyExtension(expected.function, [json]);
  if (typeof json === 'boolean' || typeof json === 'string') return ok(json);
  if (json === null) return jsonFailure('null is not a value of Cedar');
  if (typeof json !== 'object' || json instanceof UnusableNumber) return longFromJson(json);
  if (depth >= maximumValueDepth) return tooDeep();
  if (!isArray(json)) return objectFromJson(json, depth + 1, expected);
  const elements = valuesFromJson(json, depth + 1, expected?.kind === 'set' ? expected.element() : null);
  return elements.ok ? ok(setOf(elements.value)) : elements;
};

const isArray = (json: readonly ExactJson[] | ExactJsonObject): json is readonly ExactJson[] => Array.isArray(json);

const membersFromJson = (
  json: ExactJsonObject,
  depth: number,
  expected: Expected,
): Located<ReadonlyMap<string, Value>> => {
  const members = new Map<string, Value>();
  for (const [key, member] of Object.entries(json)) {
    const value = read(member, depth, expected?.kind === 'record' ? expected.attribute(key) : null);
    if (!value.ok) return below(key, value.error);
    members.set(key, value.value);
  }
  return ok(members);
};

/**
 * Reads every member of an object as a value. `expectedOfMember` gives the type that a schema declares for a key.
 */
export const readRecordMembers = (
  json: ExactJsonObject,
  expectedOfMember: (key: string) => ExpectedValue | null = () => null,
): Located<ReadonlyMap<string, Value>> => membersFromJson(json, 0, { kind: 'record', attribute: expectedOfMember });

/** As `valueFromJson`; the error has a path. */
export const readValue = (json: ExactJson, expected: ExpectedValue | null): Located<Value> => read(json, 0, expected);

/**
 * Reads a value in Cedar's JSON format: integers, strings, booleans, arrays as sets, objects as records, `{"__entity":
 * {"type", "id"}}` and `{"__extn": {"fn", "arg"}}`. The error is one clause that includes the path.
 * @param expected the type that a schema declares; the value may then omit `__entity` and `__extn`
 */
export const valueFromJson = (json: ExactJson, expected: ExpectedValue | null = null): Result<Value, string> => {
  const value = readValue(json, expected);
  return value.ok ? value : err(formatJsonFailure(value.error));
};
