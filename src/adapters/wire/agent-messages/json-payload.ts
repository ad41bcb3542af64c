import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** A message that cannot be read. Its text never holds any of the message. */
export class MalformedMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedMessage';
  }
}

/** Calls a reader. The error is the text of its MalformedMessage. */
export const readSafely = <Value>(read: () => Value): Result<Value, string> => {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof MalformedMessage) return err(error.message);
    throw error;
  }
};

/** Arrays and objects within each other, at most. */
const maximumDepth = 128;
/** Values of one message, at most: small ones cost far more memory than octets. */
const maximumValues = 200_000;
/** A payload below this cannot hold enough to matter, so it is not looked at twice. */
export const checkedFromBytes = 4_096;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

const noJson = 'it is no JSON';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Index of the quote that ends the string that starts at `start`; the length where none does. */
const endOfString = (payload: Uint8Array, start: number): number => {
  for (let index = payload.indexOf(quote, start + 1); index !== -1; index = payload.indexOf(quote, index + 1)) {
    let backslashes = 0;
    while (payload[index - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return index;
  }
  return payload.length;
};

/** Refuses what would take much more memory as values than it takes as text. */
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
      if (depth > maximumDepth) throw new MalformedMessage('it is nested too deeply');
    } else if (octet === 0x5d || octet === 0x7d) {
      depth -= 1;
    } else if (octet === comma) {
      values += 1;
    }
    if (values > maximumValues) throw new MalformedMessage('it holds too many values');
  }
};

/** The text of a payload. Throws a MalformedMessage for what is no UTF-8. */
export const payloadText = (payload: Uint8Array): string => {
  try {
    return decoder.decode(payload);
  } catch {
    throw new MalformedMessage(noJson);
  }
};

/** The object that a text is. Throws a MalformedMessage for anything else. */
const parseObject = (text: string): JsonObject => {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    // What the parser says may quote the message.
    throw new MalformedMessage(noJson);
  }
  if (!isJsonObject(value)) throw new MalformedMessage('it is no object');
  return value;
};

/**
 * The object that a payload holds. Throws a MalformedMessage for anything else.
 *
 * @param isConfiguration it carries a value of any shape, that others will walk through
 */
export const readPayload = (payload: Uint8Array, isConfiguration = false): JsonObject => {
  if (isConfiguration || payload.length >= checkedFromBytes) checkShape(payload);
  return parseObject(payloadText(payload));
};

/** The same of a payload whose text is known, and that is no configuration. */
export const readPayloadText = (payload: Uint8Array, text: string): JsonObject => {
  if (payload.length >= checkedFromBytes) checkShape(payload);
  return parseObject(text);
};
