import type { BodyMutation } from '../../../domain/agent-protocol/messages.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { encodeBase64 } from './base64-encoding.js';
import { readOptionalCount, readOptionalObject, readOptionalText } from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';

/** Null data passes the chunk, an empty text drops it, any other replaces it. */
export const writeMutation = (mutation: BodyMutation | null): JsonObject | null =>
  mutation && {
    data: mutation.data === null ? null : encodeBase64(mutation.data),
    chunk_index: mutation.chunkIndex,
  };

/** A missing index is that of the first chunk, as agents elsewhere leave it out there. */
export const readMutation = (object: JsonObject, name: string): BodyMutation | null => {
  const mutation = readOptionalObject(object, name);
  if (mutation === null) return null;
  const text = readOptionalText(mutation, 'data');
  const data = text === null ? null : decodeBase64(text, 'standard');
  if (text !== null && data === null) throw new MalformedMessage(`"data" of "${name}" is no base64`);
  return { chunkIndex: readOptionalCount(mutation, 'chunk_index') ?? 0, data };
};
