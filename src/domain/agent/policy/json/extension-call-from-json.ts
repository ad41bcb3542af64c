import { ok, type Result } from '../../../shared/result.js';
import { extensionSignatures, partialEvaluationFunction } from '../extensions/extension-signatures.js';
import { quotedName } from '../shortened-text.js';
import { type ExactJson, isExactObject, memberOf } from './exact-json.js';
import { type JsonFailure, jsonFailure } from './json-failure.js';

/** A call of a function of an extension; of a method, the value before the dot is the first argument. */
export interface ExtensionCall {
  readonly name: string;
  readonly arguments: readonly ExactJson[];
}

/**
 * Of `{"fn": "ip", "arg": "10.0.0.1"}` or `{"fn": "offset", "args": [..., ...]}`; null: it has not the shape. Other keys are
 * passed over, and so is "args" beside "arg", as Cedar does.
 */
export const extensionCallOf = (json: ExactJson | undefined): ExtensionCall | null => {
  if (!isExactObject(json)) return null;
  const name = memberOf(json, 'fn');
  const arg = memberOf(json, 'arg');
  const args = memberOf(json, 'args');
  if (typeof name !== 'string') return null;
  if (arg !== undefined) return { name, arguments: [arg] };
  return Array.isArray(args) ? { name, arguments: args } : null;
};

/** Whether there is such a function, which takes so many arguments. */
export const checkExtensionCall = ({ name, arguments: values }: ExtensionCall): Result<null, JsonFailure> => {
  // Cedar takes it in data and evaluates in part; a request of which something is unknown is not decided here.
  if (name === partialEvaluationFunction) return jsonFailure(`"${name}" is not supported: a value has to be known`);
  const signature = extensionSignatures.get(name);
  if (signature === undefined) return jsonFailure(`there is no extension function ${quotedName(name)}`);
  const expected = signature.parameters + (signature.style === 'method' ? 1 : 0);
  if (values.length !== expected) return jsonFailure(`${name} takes ${expected}, not ${values.length} arguments`);
  return ok(null);
};
