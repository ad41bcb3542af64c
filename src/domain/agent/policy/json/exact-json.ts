import type { Long } from '../values/value.js';

/**
 * A number of a JSON text that Cedar has no value for: one with a fraction or an exponent, or beyond 64 bits. It is
 * kept as it was written, so that whoever needs a value there can say what is wrong, and whoever does not need it can
 * pass over it.
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
 * JSON in which an integer keeps all its digits. Every JsonValue is one as well, save that its numbers may have lost
 * digits already: those that are no safe integers are refused where a value is needed.
 */
export type ExactJson = null | boolean | Long | string | UnusableNumber | readonly ExactJson[] | ExactJsonObject;

/** Whether it is a JSON object. */
export const isExactObject = (json: ExactJson | undefined): json is ExactJsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof UnusableNumber);

/** The member of that name; undefined where the object has none of its own. */
export const memberOf = (object: ExactJsonObject, name: string): ExactJson | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** What it is, for a message: `a number`, `null`, `an array`. */
export const kindOfJson = (json: ExactJson | undefined): string => {
  if (json === undefined) return 'nothing';
  if (json === null) return 'null';
  if (Array.isArray(json)) return 'an array';
  if (json instanceof UnusableNumber || typeof json === 'number' || typeof json === 'bigint') return 'a number';
  if (typeof json === 'string') return 'a string';
  return typeof json === 'boolean' ? 'a boolean' : 'an object';
};
