import { type Err, err } from '../../../shared/result.js';
import { type JsonStep, jsonPath } from './json-path.js';

/** What is wrong with a piece of JSON, and where in it. */
export interface JsonFailure {
  /** From the piece that was read to the place, outermost first. */
  readonly steps: readonly JsonStep[];
  readonly message: string;
}

export const jsonFailure = (message: string): Err<JsonFailure> => err({ steps: [], message });

/** Of the escape that Cedar had once and refuses now. */
export const expressionFailure = (): Err<JsonFailure> =>
  jsonFailure('"__expr" is not supported: write "__entity", "__extn" or plain JSON');

/** The same failure as seen from one step further out. */
export const below = (step: JsonStep, { steps, message }: JsonFailure): Err<JsonFailure> =>
  err({ steps: [step, ...steps], message });

/** `at .address.city: null is no value of Cedar`, or the message alone where it is about the whole piece. */
export const formatJsonFailure = ({ steps, message }: JsonFailure): string =>
  steps.length === 0 ? message : `at ${jsonPath(steps)}: ${message}`;
