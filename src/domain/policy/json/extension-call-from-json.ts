import { ok, type Result } from '../../shared/result.js';
import { extensionSignatures } from '../extensions/extension-signatures.js';
import { type ExactJson, isExactObject, kindOfJson, memberOf } from './exact-json.js';
import { type JsonFailure, jsonFailure } from './json-failure.js';

/** A call of a function of an extension; of a method, the value before the dot is the first argument. */
export interface ExtensionCall {
  readonly name: string;
  readonly arguments: readonly ExactJson[];
}

const argumentsOf = (arg: ExactJson | undefined, args: ExactJson | undefined): readonly ExactJson[] | null => {
  if (arg !== undefined) return args === undefined ? [arg] : null;
  return Array.isArray(args) ? args : null;
};

/** Reads `{"fn": "ip", "arg": "10.0.0.1"}` or `{"fn": "offset", "args": [..., ...]}`. The function exists and takes so many. */
export const extensionCallFromJson = (json: ExactJson | undefined): Result<ExtensionCall, JsonFailure> => {
  if (!isExactObject(json)) return jsonFailure(`"__extn" is {"fn": ..., "arg": ...}, not ${kindOfJson(json)}`);
  const name = memberOf(json, 'fn');
  if (typeof name !== 'string') return jsonFailure(`the "fn" of "__extn" is a string, not ${kindOfJson(name)}`);
  const values = argumentsOf(memberOf(json, 'arg'), memberOf(json, 'args'));
  if (values === null) return jsonFailure('"__extn" has either an "arg" or an array "args"');
  const signature = extensionSignatures.get(name);
  if (signature === undefined) return jsonFailure(`there is no extension function ${JSON.stringify(name)}`);
  const expected = signature.parameters + (signature.style === 'method' ? 1 : 0);
  if (values.length !== expected) return jsonFailure(`${name} takes ${expected}, not ${values.length} arguments`);
  return ok({ name, arguments: values });
};
