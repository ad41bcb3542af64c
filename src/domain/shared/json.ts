/** Arrays and objects within each other, at most. */
const maximumDepth = 64;

const write = (value: JsonValue, depth: number): string | null => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth >= maximumDepth) return null;
  const isArray = Array.isArray(value);
  const keys = isArray ? value.keys() : Object.keys(value).toSorted();
  const parts: string[] = [];
  for (const key of keys) {
    const text = write((value as Readonly<Record<string | number, JsonValue>>)[key] as JsonValue, depth + 1);
    if (text === null) return null;
    parts.push(isArray ? text : `${JSON.stringify(key)}:${text}`);
  }
  return isArray ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
};

/**
 * One text for all spellings of a JSON value: members in the order of their names. Null where it is nested too
 * deeply.
 */
export const canonicalJson = (value: JsonValue): string | null => write(value, 0);

/** Any value that JSON can carry (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
