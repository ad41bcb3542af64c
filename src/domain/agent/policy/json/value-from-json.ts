import { err, ok, type Result } from '../../../shared/result.js';
import { isError } from '../evaluate/evaluation-error.js';
import { extensionFunction } from '../extensions/extension-functions.js';
import type { ExpectedValue } from '../schema/expected-value.js';
import { quotedName, shortenedText } from '../shortened-text.js';
import { longFromBigint } from '../values/long.js';
import { recordOf } from '../values/record-value.js';
import { setOf } from '../values/set-value.js';
import type { Long, Value } from '../values/value.js';
import { escapeOf, type JsonEscape } from './escape-from-json.js';
import { type ExactJson, type ExactJsonObject, memberOf, UnusableNumber } from './exact-json.js';
import { checkExtensionCall, type ExtensionCall, extensionCallOf } from './extension-call-from-json.js';
import { below, expressionFailure, formatJsonFailure, type JsonFailure, jsonFailure } from './json-failure.js';
import { entityOf, locateUid } from './uid-from-json.js';

type Located<T> = Result<T, JsonFailure>;
type Expected = ExpectedValue | null;

/** Sets, records and extension calls within each other, at the most. */
export const maximumValueDepth = 64;

const longFromJson = (json: Long | UnusableNumber): Located<Value> => {
  // Adding zero makes the negative zero of a JavaScript number the only zero that Cedar has.
  if (typeof json === 'number' && Number.isSafeInteger(json)) return ok(json + 0);
  const long = typeof json === 'bigint' ? longFromBigint(json) : null;
  if (long !== null) return ok(long);
  const text = json instanceof UnusableNumber ? json.text : String(json);
  return jsonFailure(`${shortenedText(text)} is not a 64-bit integer`);
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
  if (apply === undefined) return jsonFailure(`there is no extension function ${quotedName(name)}`);
  const outcome = apply(values);
  return isError(outcome) ? jsonFailure(outcome.message) : ok(outcome);
};

const callExtension = (call: ExtensionCall, depth: number): Located<Value> => {
  const checked = checkExtensionCall(call);
  if (!checked.ok) return checked;
  const values = valuesFromJson(call.arguments, depth);
  return values.ok ? applyExtension(call.name, values.value) : values;
};

/** Cedar passes over some keys of an escape, but not over a number there that it cannot hold. */
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

const valueOfEscape = (meant: JsonEscape, depth: number): Located<Value> => {
  if (meant.key === '__expr') return expressionFailure();
  const value = meant.key === '__entity' ? entityOf(meant.entity) : callExtension(meant.call, depth);
  return value.ok ? value : below(meant.key, value.error);
};

const objectFromJson = (json: ExactJsonObject, depth: number, expected: Expected): Located<Value> => {
  const meant = escapeOf(json);
  if (meant !== null) {
    const checked = checkNumbers(json, depth - 1);
    return checked.ok ? valueOfEscape(meant, depth) : checked;
  }
  if (expected?.kind === 'extension') {
    const call = extensionCallOf(memberOf(json, '__extn')) ?? extensionCallOf(json);
    return call === null ? jsonFailure('an extension value is {"fn": ..., "arg": ...}') : callExtension(call, depth);
  }
  const members = membersFromJson(json, depth, expected);
  return members.ok ? ok(recordOf(members.value)) : members;
};

const read = (json: ExactJson, depth: number, expected: Expected): Located<Value> => {
  if (expected?.kind === 'entity') return locateUid(json);
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
