import type { HeaderList } from '../../../domain/http/header-list.js';
import { MalformedMessage } from '../agent-frames/malformed-message.js';
import type { GrpcHeader } from './grpc-messages.js';

// Readers of the members of a message. A member that is missing is the one that proto3 leaves out: 0, false or empty.

/** What stands for octets that are no UTF-8, which the decoder lets pass. */
const replacement = '\ufffd';

/** Two texts that differ in what is no UTF-8 would come out as one. */
const refuseReplaced = (text: string, name: string): string => {
  if (text.includes(replacement)) throw new MalformedMessage(`"${name}" is no UTF-8`);
  return text;
};

export const textOf = (value: string | null | undefined, name: string): string => refuseReplaced(value ?? '', name);

export const optionalTextOf = (value: string | null | undefined, name: string): string | null =>
  value === null || value === undefined ? null : refuseReplaced(value, name);

/** An integer of at least 0 that a double holds exactly. */
export const countOf = (value: number | null | undefined, name: string): number => {
  const count = value ?? 0;
  if (!Number.isSafeInteger(count) || count < 0) throw new MalformedMessage(`"${name}" is no count`);
  return count;
};

export const optionalCountOf = (value: number | null | undefined, name: string): number | null =>
  value === null || value === undefined ? null : countOf(value, name);

/** An answer to an event of no id could be for any. */
export const correlationIdOf = (value: string | null | undefined): string => {
  const id = textOf(value, 'correlation_id');
  if (id === '') throw new MalformedMessage('it has no correlation id');
  return id;
};

/** Names come out in lower case. */
export const headersOf = (headers: readonly GrpcHeader[] | undefined): HeaderList => {
  if (headers === undefined) return [];
  const list: string[] = [];
  for (const { name, value } of headers) {
    list.push(textOf(name, 'name').toLowerCase(), textOf(value, 'value'));
  }
  return list;
};
