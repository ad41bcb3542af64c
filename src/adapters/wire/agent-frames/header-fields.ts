import type { HeaderList } from '../../../domain/http/header-list.js';
import type { JsonObject, JsonValue } from '../../../domain/shared/json.js';
import { MalformedMessage } from './malformed-message.js';

/** Sets a member whatever its name is: a plain assignment to `__proto__` would lose it. */
const define = (object: Record<string, string[]>, name: string, values: string[]): void => {
  if (name !== '__proto__') object[name] = values;
  else Object.defineProperty(object, name, { value: values, enumerable: true, configurable: true, writable: true });
};

/** `{ name: [value, ...] }`, the values of each name in their order. Names are in lower case already. */
export const writeHeaders = (headers: HeaderList): Readonly<Record<string, readonly string[]>> => {
  const fields: Record<string, string[]> = {};
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (Object.hasOwn(fields, name)) (fields[name] as string[]).push(value);
    else define(fields, name, [value]);
  }
  return fields;
};

const pushText = (headers: string[], name: string, value: JsonValue | undefined): void => {
  if (typeof value !== 'string') throw new MalformedMessage('a header value is no string');
  headers.push(name, value);
};

/** Reads what `writeHeaders` wrote; names come out in lower case. */
export const readHeaders = (fields: JsonObject): HeaderList => {
  const headers: string[] = [];
  for (const name of Object.keys(fields)) {
    const values = fields[name];
    if (!Array.isArray(values)) throw new MalformedMessage('the values of a header are no array');
    const lowerName = name.toLowerCase();
    for (const value of values as readonly JsonValue[]) pushText(headers, lowerName, value);
  }
  return headers;
};

/** `{ name: value }` as a list, as a block decision carries its headers. */
export const readSingleHeaders = (fields: JsonObject): HeaderList => {
  const headers: string[] = [];
  for (const name of Object.keys(fields)) pushText(headers, name, fields[name]);
  return headers;
};
