import type { Socket } from 'node:net';
import type { SeededRandom } from '../inputs/seeded-random.js';
import { valuesIn } from '../recorder/strict-message.js';
import { strictResponses } from '../recorder/strict-reading.js';

/** What an upstream sends for one request: in parts, of which some come late. */
export interface AnswerPlan {
  /** Each character is one octet. */
  readonly parts: readonly string[];
  /** What passes before a part, one for each: milliseconds. */
  readonly delaysMs: readonly number[];
  /** The connection ends behind it. */
  readonly ends: boolean;
}

const mostParts = 5;
const longestDelayMs = 12;

/** Cuts a text: at any place, but often where its first response ends, or close to that. */
export const answerPlan = (random: SeededRandom, text: string, method: string, ends: boolean): AnswerPlan => {
  const firstEnd = strictResponses(text, [method]).messages[0]?.end ?? text.length;
  const cuts = new Set<number>();
  for (let count = random.chance(0.4) ? 0 : random.below(mostParts); count > 0; count -= 1) {
    const cut = random.chance(0.5)
      ? firstEnd + random.pick([0, 0, -1, 1, 2, random.below(20)])
      : random.below(text.length);
    if (cut > 0 && cut < text.length) cuts.add(cut);
  }
  const places = [0, ...[...cuts].sort((one, other) => one - other), text.length];
  const parts = places.slice(1).map((place, index) => text.slice(places[index], place));
  return { parts, delaysMs: parts.map(() => (random.chance(0.3) ? random.below(longestDelayMs) : 0)), ends };
};

/** One answer on its way on one connection. */
interface Sending {
  readonly socket: Socket;
  /** What has gone out. */
  sent: string;
  timer: NodeJS.Timeout | null;
}

const says = (values: readonly string[], option: string): boolean =>
  values.some((value) => value.split(',').some((each) => each.trim().toLowerCase() === option));

/** Why a connection on which this was answered must not bear another request: null where it may. */
export const reasonToEnd = (sent: string, method: string): string | null => {
  const { messages, fault, rest } = strictResponses(sent, [method]);
  const [first, ...more] = messages;
  if (first === undefined) return 'no response had come';
  if (!first.isComplete) return 'the response was not whole';
  if (first.endsWithConnection) return 'the response had no other end than that of the connection';
  if (more.length > 0 || fault !== null || rest !== '') return 'there were octets behind the response';
  const options = valuesIn(first.fields, 'connection');
  const stays = first.line.startsWith('HTTP/1.1') || says(options, 'keep-alive');
  return stays && !says(options, 'close') ? null : 'the response had said that it was the last';
};

/** Sends such an answer, and knows what of it has gone out on which connection. */
export class PartedAnswer {
  /** When all of it has gone out, or the connection is gone. */
  readonly isSent: Promise<void>;
  readonly #plan: AnswerPlan;
  readonly #sendings: Sending[] = [];
  #noteSent: () => void = () => undefined;

  constructor(plan: AnswerPlan) {
    this.#plan = plan;
    this.isSent = new Promise((resolve) => {
      this.#noteSent = resolve;
    });
  }

  begin(socket: Socket): void {
    const sending: Sending = { socket, sent: '', timer: null };
    this.#sendings.push(sending);
    this.#sendFrom(sending, 0);
  }

  /** Holds back what has not gone out. */
  stop(): void {
    for (const { timer } of this.#sendings) if (timer !== null) clearTimeout(timer);
    this.#noteSent();
  }

  /** What of it has gone out on this connection; null: it was not for that. */
  sentOn(socket: Socket): string | null {
    return this.#sendings.find((sending) => sending.socket === socket)?.sent ?? null;
  }

  #sendFrom(sending: Sending, index: number): void {
    const { parts, delaysMs, ends } = this.#plan;
    const part = parts[index];
    if (part === undefined || sending.socket.destroyed) {
      if (ends) sending.socket.end();
      this.#noteSent();
      return;
    }
    const send = (): void => {
      if (!sending.socket.destroyed) {
        sending.sent += part;
        sending.socket.write(part, 'latin1');
      }
      this.#sendFrom(sending, index + 1);
    };
    if (index === 0) send();
    else sending.timer = setTimeout(send, delaysMs[index] ?? 0);
  }
}
