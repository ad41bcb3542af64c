import type { Long } from '../values/value.js';

/**
 * A JSON number that has no Cedar value: it has a fraction or an exponent, or exceeds 64 bits. It keeps the original
 * text for the error message. Readers may ignore it where they need no value.
 */
export class UnusableNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface ExactJsonObject {
  readonly [key: string]: ExactJson;
}

/**
 * JSON whose integers keep all their digits. Every JsonValue is also an ExactJson, but its numbers may have lost
 * digits: a number that is not a safe integer is refused where a value is needed.
 */
export type ExactJson = null | boolean | Long | string | UnusableNumber | readonly ExactJson[] | ExactJsonObject;

export const isExactObject = (json: ExactJson | undefined): json is ExactJsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof UnusableNumber);

/** The own member of that name; undefined if there is none. */
export const memberOf = (object: ExactJsonObject, name: string): ExactJson | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Names the JSON type for a message: `a number`, `null`, `an array`. */
export const kindOfJson = (json: ExactJson | undefined): string => {
  if (json === undefined) return 'nothing';
  if (json === null) return 'null';
  if (Array.isArray(json)) return 'an array';
  if (json instanceof UnusableNumber || typeof json === 'number' || typeof json === 'bigint') return 'a number';
  if (typeof json === 'string') return 'a string';
  return typeof json === 'boolean' ? 'a boolean' : 'an object';
};
