import { err, ok, type Result } from '../../shared/result.js';
import { isError } from '../evaluate/evaluation-error.js';
import { extensionFunction } from '../extensions/extension-functions.js';
import type { ExpectedValue } from '../schema/expected-value.js';
import { longFromBigint } from '../values/long.js';
import { recordOf } from '../values/record-value.js';
import { setOf } from '../values/set-value.js';
import type { Long, Value } from '../values/value.js';
import { type ExactJson, type ExactJsonObject, memberOf, UnusableNumber } from './exact-json.js';
import { extensionCallFromJson } from './extension-call-from-json.js';
import { below, formatJsonFailure, type JsonFailure, jsonFailure } from './json-failure.js';
import { typeAndIdFromJson } from './uid-from-json.js';

type Located<T> = Result<T, JsonFailure>;
type Expected = ExpectedValue | null;

/** Sets, records and extension calls within each other, at the most. */
export const maximumValueDepth = 64;

const escapeKeys = ['__entity', '__extn', '__expr'] as const;

const longFromJson = (json: Long): Located<Value> => {
  // Adding zero makes the negative zero of a JavaScript number the only zero that Cedar has.
  if (typeof json === 'number' && Number.isSafeInteger(json)) return ok(json + 0);
  const long = typeof json === 'bigint' ? longFromBigint(json) : null;
  return long === null ? jsonFailure(`${json} is not a 64-bit integer`) : ok(long);
};

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
  if (apply === undefined) return jsonFailure(`there is no extension function ${JSON.stringify(name)}`);
  const outcome = apply(values);
  return isError(outcome) ? jsonFailure(outcome.message) : ok(outcome);
};

const extensionFromJson = (json: ExactJson | undefined, depth: number): Located<Value> => {
  const call = extensionCallFromJson(json);
  if (!call.ok) return call;
  const values = valuesFromJson(call.value.arguments, depth);
  return values.ok ? applyExtension(call.value.name, values.value) : values;
};

/** An object with one of the keys that Cedar reserves. Cedar takes a misshapen one for a record; here it is an error. */
const escapeFromJson = (json: ExactJsonObject, key: (typeof escapeKeys)[number], depth: number): Located<Value> => {
  if (key === '__expr') return jsonFailure('"__expr" is not supported: write "__entity", "__extn" or plain JSON');
  if (Object.keys(json).length > 1) return jsonFailure(`${JSON.stringify(key)} stands alone in its object`);
  const value =
    key === '__entity' ? typeAndIdFromJson(memberOf(json, key)) : extensionFromJson(memberOf(json, key), depth);
  return value.ok ? value : below(key, value.error);
};

const objectFromJson = (json: ExactJsonObject, depth: number, expected: Expected): Located<Value> => {
  const key = escapeKeys.find((name) => Object.hasOwn(json, name));
  if (key !== undefined) return escapeFromJson(json, key, depth);
  if (expected?.kind === 'entity') return typeAndIdFromJson(json);
  if (expected?.kind === 'extension') return extensionFromJson(json, depth);
  const members = membersFromJson(json, depth, expected);
  return members.ok ? ok(recordOf(members.value)) : members;
};

const read = (json: ExactJson, depth: number, expected: Expected): Located<Value> => {
  if (typeof json === 'string' && expected?.kind === 'extension') return applyExtension(expected.function, [json]);
  if (typeof json === 'boolean' || typeof json === 'string') return ok(json);
  if (typeof json === 'number' || typeof json === 'bigint') return longFromJson(json);
  if (json === null) return jsonFailure('null is not a value of Cedar');
  if (json instanceof UnusableNumber) return jsonFailure(`${json.text} is not a 64-bit integer`);
  if (depth >= maximumValueDepth) return jsonFailure(`the value is nested more than ${maximumValueDepth} deep`);
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

/** Reads each member of an object as a value, whatever its key. `expectedOfMember`: by its key, what a schema says of it. */
export const locateMembers = (
  json: ExactJsonObject,
  expectedOfMember: (key: string) => ExpectedValue | null = () => null,
): Located<ReadonlyMap<string, Value>> => membersFromJson(json, 0, { kind: 'record', attribute: expectedOfMember });

/** As `valueFromJson`, with the place of what is wrong. */
export const locateValue = (json: ExactJson, expected: ExpectedValue | null): Located<Value> => read(json, 0, expected);

/**
 * Reads a value in Cedar's JSON form: integers, strings, booleans, arrays as sets, objects as records, `{"__entity": {"type",
 * "id"}}` and `{"__extn": {"fn", "arg"}}`. The error is one clause, with the path in the value.
 * @param expected what a schema says of the value, which then may leave out `__entity` and `__extn`
 */
export const valueFromJson = (json: ExactJson, expected: ExpectedValue | null = null): Result<Value, string> => {
  const value = locateValue(json, expected);
  return value.ok ? value : err(formatJsonFailure(value.error));
};
