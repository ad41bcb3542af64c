import type { ReadMessage, StreamReading } from '../codec/read-message.js';

/** A request as another reader than the codec has it. What such a reader does not tell is absent. */
export interface OtherMessage {
  readonly line: string;
  readonly fields?: readonly string[];
  readonly body?: string;
  readonly trailers?: readonly string[];
  readonly isComplete: boolean;
}

/** What two readers of one stream differ in. */
export type Difference =
  | { readonly kind: 'none' }
  /** One of them refuses what the other takes. `which`: who takes it. */
  | { readonly kind: 'taken by one'; readonly which: 'ours' | 'theirs'; readonly turn: number }
  | { readonly kind: 'read otherwise'; readonly turn: number };

/** Names in lower case; blanks around values are no part of them. */
const told = (fields: readonly string[]): string =>
  JSON.stringify(fields.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text)));

const isSame = (ours: ReadMessage, theirs: OtherMessage): boolean => {
  if (ours.line !== theirs.line) return false;
  if (theirs.fields !== undefined && told(ours.fields) !== told(theirs.fields)) return false;
  if (!ours.isComplete || !theirs.isComplete) {
    const body = theirs.body ?? '';
    return ours.body.startsWith(body) || body.startsWith(ours.body);
  }
  if (theirs.body !== undefined && ours.body !== theirs.body) return false;
  return theirs.trailers === undefined || told(ours.trailers) === told(theirs.trailers);
};

/** What it is followed by is nothing that both have to read: Node reads no further behind what may upgrade. */
const endsConnection = ({ mayUpgrade, isPersistent }: ReadMessage): boolean => !isPersistent || mayUpgrade;

/**
 * Whether they have read another message behind all of this one: then it was over, which Node does not come to tell
 * where the other one is the beginning of HTTP/2 to it.
 */
const isFollowed = ({ body, trailers }: ReadMessage, theirs: readonly OtherMessage[], turn: number): boolean =>
  theirs[turn + 1]?.line.startsWith('PRI ') === true && theirs[turn]?.body === body && trailers.length === 0;

const faultless: ReadonlySet<string> = new Set(['between', 'inside a head', 'inside a body']);

/** Compares message by message. A refusal ends what can be compared. */
export const compareReadings = (
  ours: StreamReading,
  theirs: readonly OtherMessage[],
  theyRefuse: boolean,
): Difference => {
  const weRefuse = !faultless.has(ours.ending);
  for (const [turn, message] of ours.messages.entries()) {
    const their = theirs[turn];
    if (message.line.startsWith('CONNECT ')) return { kind: 'none' };
    if (their === undefined) {
      if (theyRefuse) return { kind: 'taken by one', which: 'ours', turn };
      // The last one may have been dropped before anybody was told of it.
      return message.isComplete ? { kind: 'read otherwise', turn } : { kind: 'none' };
    }
    if (!isSame(message, their)) return { kind: 'read otherwise', turn };
    if (message.isComplete && !their.isComplete && !isFollowed(message, theirs, turn)) {
      return theyRefuse ? { kind: 'taken by one', which: 'ours', turn } : { kind: 'read otherwise', turn };
    }
    if (!message.isComplete && their.isComplete) {
      return weRefuse ? { kind: 'taken by one', which: 'theirs', turn } : { kind: 'read otherwise', turn };
    }
    if (endsConnection(message)) return { kind: 'none' };
  }
  const turn = ours.messages.length;
  if (theirs.length <= turn) return { kind: 'none' };
  return weRefuse ? { kind: 'taken by one', which: 'theirs', turn } : { kind: 'read otherwise', turn };
};
