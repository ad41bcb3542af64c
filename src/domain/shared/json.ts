/** Largest nesting depth of arrays and objects. */
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

/** A canonical text of a JSON value, with members sorted by name. Null: it is nested too deeply. */
export const canonicalJson = (value: JsonValue): string | null => write(value, 0);

/** Any JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
