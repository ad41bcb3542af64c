import { type Err, err } from '../../../shared/result.js';
import { type JsonStep, jsonPath } from './json-path.js';

/** An error in a JSON value and its location. */
export interface JsonFailure {
  /** The path from the value that was read to the error, outermost step first. */
  readonly steps: readonly JsonStep[];
  readonly message: string;
}

export const jsonFailure = (message: string): Err<JsonFailure> => err({ steps: [], message });

/** The failure for `__expr`, an escape that Cedar removed. */
export const expressionFailure = (): Err<JsonFailure> =>
  jsonFailure('"__expr" is not supported: write "__entity", "__extn" or plain JSON');

/** Prepends a step to the path of a failure. */
export const below = (step: JsonStep, { steps, message }: JsonFailure): Err<JsonFailure> =>
  err({ steps: [step, ...steps], message });

/** `at .address.city: null is not a value of Cedar`; without the path if the whole value is wrong. */
export const formatJsonFailure = ({ steps, message }: JsonFailure): string =>
  steps.length === 0 ? message : `at ${jsonPath(steps)}: ${message}`;
