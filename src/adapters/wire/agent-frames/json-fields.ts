import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { MalformedMessage } from './malformed-message.js';

// Readers of the members of a message. "optional" ones give null where the member is null or missing; every one throws
// a MalformedMessage where it is of another type.

const refuse = (name: string, expected: string): never => {
  throw new MalformedMessage(`"${name}" is no ${expected}`);
};

export const readText = (object: JsonObject, name: string): string => {
  const value = object[name];
  return typeof value === 'string' ? value : refuse(name, 'string');
};

export const readOptionalText = (object: JsonObject, name: string): string | null => {
  const value = object[name] ?? null;
  return value === null || typeof value === 'string' ? value : refuse(name, 'string');
};

export const readNumber = (object: JsonObject, name: string): number => {
  const value = object[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse(name, 'number');
};

export const readOptionalNumber = (object: JsonObject, name: string): number | null =>
  (object[name] ?? null) === null ? null : readNumber(object, name);

/** An integer of at least 0 that a double holds exactly. */
export const readCount = (object: JsonObject, name: string): number => {
  const value = object[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : refuse(name, 'count');
};

export const readOptionalCount = (object: JsonObject, name: string): number | null =>
  (object[name] ?? null) === null ? null : readCount(object, name);

export const readFlag = (object: JsonObject, name: string): boolean => {
  const value = object[name];
  return typeof value === 'boolean' ? value : refuse(name, 'boolean');
};

/** False where it is null or missing. */
export const readOptionalFlag = (object: JsonObject, name: string): boolean =>
  (object[name] ?? null) === null ? false : readFlag(object, name);

export const readObject = (object: JsonObject, name: string): JsonObject => {
  const value = object[name];
  return isJsonObject(value) ? value : refuse(name, 'object');
};

export const readOptionalObject = (object: JsonObject, name: string): JsonObject | null =>
  (object[name] ?? null) === null ? null : readObject(object, name);

/** Empty where it is null or missing. */
export const readOptionalArray = (object: JsonObject, name: string): readonly JsonValue[] => {
  const value = object[name] ?? null;
  if (value === null) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : refuse(name, 'array');
};

/** Empty where it is null or missing. */
export const readOptionalTexts = (object: JsonObject, name: string): readonly string[] => {
  const values = readOptionalArray(object, name);
  for (const value of values) if (typeof value !== 'string') refuse(name, 'array of strings');
  return values as readonly string[];
};

/** Empty where it is null or missing. */
export const readOptionalTextRecord = (object: JsonObject, name: string): Readonly<Record<string, string>> => {
  const value = readOptionalObject(object, name);
  if (value === null) return {};
  for (const member of Object.values(value)) if (typeof member !== 'string') refuse(name, 'object of strings');
  return value as Readonly<Record<string, string>>;
};
