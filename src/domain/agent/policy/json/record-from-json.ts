import { err, ok, type Result } from '../../../shared/result.js';
import type { ExpectedValue } from '../schema/expected-value.js';
import type { RecordValue } from '../values/value.js';
import { type ExactJson, isExactObject, kindOfJson } from './exact-json.js';
import { formatJsonFailure } from './json-failure.js';
import { readValue } from './value-from-json.js';

/**
 * Reads the context of a request, a JSON object that is a record. The error is one clause that includes the path.
 * @param expected the type that a schema declares for the context; null without a schema
 */
export const contextFromJson = (
  json: ExactJson | undefined,
  expected: ExpectedValue | null = null,
): Result<RecordValue, string> => {
  if (!isExactObject(json)) return err(`the context must be a JSON object, not ${kindOfJson(json)}`);
  const value = readValue(json, expected);
  if (!value.ok) return err(`context: ${formatJsonFailure(value.error)}`);
  if (typeof value.value !== 'object' || value.value.kind !== 'record') return err('the context must be a record');
  return ok(value.value);
};
