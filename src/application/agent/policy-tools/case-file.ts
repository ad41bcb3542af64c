import {
  type ExactJson,
  type ExactJsonObject,
  isExactObject,
  kindOfJson,
  memberOf,
} from '../../../domain/agent/policy/json/exact-json.js';
import { parseExactJson } from '../../../domain/agent/policy/json/parse-exact-json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** A test case, save for what it expects, which nobody here reads. */
export interface CaseFile {
  /** As the case gives it. */
  readonly policies: ExactJson | undefined;
  readonly entities: ExactJson | undefined;
  /** Undefined: the case has none. */
  readonly schema: ExactJson | undefined;
  readonly requests: readonly ExactJson[];
}

const caseKeys = ['policies', 'entities', 'requests'] as const;
const opensAnObject = /^\s*\{/;

const fromObject = (json: ExactJsonObject): Result<CaseFile | null, string> => {
  if (!caseKeys.every((key) => Object.hasOwn(json, key))) return ok(null);
  const requests = memberOf(json, 'requests');
  if (!Array.isArray(requests)) return err(`"requests" is an array, not ${kindOfJson(requests)}`);
  return ok({
    policies: memberOf(json, 'policies'),
    entities: memberOf(json, 'entities'),
    schema: memberOf(json, 'schema'),
    requests,
  });
};

/** Reads a file that may be a test case; null: it is another kind of file, such as one of entities or a schema. */
export const readCaseFile = (text: string): Result<CaseFile | null, string> => {
  if (!opensAnObject.test(text)) return ok(null);
  const json = parseExactJson(text);
  if (json.ok) return isExactObject(json.value) ? fromObject(json.value) : ok(null);
  // What cannot be read counts as a case where it looks like one, so that no case is lost without a word.
  return caseKeys.every((key) => text.includes(`"${key}"`)) ? json : ok(null);
};
