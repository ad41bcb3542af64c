import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** A malformed message. The text never quotes it. */
export class MalformedMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedMessage';
  }
}

/** Calls a reader and returns the text of its MalformedMessage as an error. */
export const readSafely = <Value>(read: () => Value): Result<Value, string> => {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof MalformedMessage) return err(error.message);
    throw error;
  }
};

/** Maximum nesting of arrays and objects. */
const maxDepth = 128;
/** Maximum values of a message: small values need far more memory than octets. */
const maxValues = 200_000;
/** Smaller payloads cannot exceed the limits and are not checked. */
export const checkedFromBytes = 4_096;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

const notJson = 'it is not JSON';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Index of the closing quote of the string at `start`; the length if there is none. */
const endOfString = (payload: Uint8Array, start: number): number => {
  for (let index = payload.indexOf(quote, start + 1); index !== -1; index = payload.indexOf(quote, index + 1)) {
    let backslashes = 0;
    while (payload[index - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return index;
  }
  return payload.length;
};

/** Refuses payloads that would need much more memory as values. */
const checkShape = (payload: Uint8Array): void => {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < payload.length; index += 1) {
    const octet = payload[index] as number;
    if (octet === quote) {
      index = endOfString(payload, index);
    } else if (octet === 0x5b || octet === 0x7b) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) throw new MalformedMessage('it is nested too deeply');
    } else if (octet === 0x5d || octet === 0x7d) {
      depth -= 1;
    } else if (octet === comma) {
      values += 1;
    }
    if (values > maxValues) throw new MalformedMessage('it holds too many values');
  }
};

/** Decodes a payload. Throws a MalformedMessage if it is not UTF-8. */
export const payloadText = (payload: Uint8Array): string => {
  try {
    return decoder.decode(payload);
  } catch {
    throw new MalformedMessage(notJson);
  }
};

/** Parses an object. Throws a MalformedMessage for anything else. */
const parseObject = (text: string): JsonObject => {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's error may quote the message.
    throw new MalformedMessage(notJson);
  }
  if (!isJsonObject(value)) throw new MalformedMessage('it is not an object');
  return value;
};

/**
 * Reads the object in a payload. Throws a MalformedMessage for anything else.
 *
 * @param isConfiguration contains a value of any shape, which other code traverses
 */
export const readPayload = (payload: Uint8Array, isConfiguration = false): JsonObject => {
  if (isConfiguration || payload.length >= checkedFromBytes) checkShape(payload);
  return parseObject(payloadText(payload));
};

/** Reads the object in a decoded payload that is not a configuration. */
export const readPayloadText = (payload: Uint8Array, text: string): JsonObject => {
  if (payload.length >= checkedFromBytes) checkShape(payload);
  return parseObject(text);
};
