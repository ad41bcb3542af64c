import type { Finding } from '../findings.js';
import { madeResponse } from '../inputs/made-response.js';
import { mutated } from '../inputs/mutated.js';
import { pieces } from '../inputs/pieces.js';
import { requestStream } from '../inputs/request-stream.js';
import { chanceOf, type SeededRandom } from '../inputs/seeded-random.js';
import type { StrictMessage } from '../recorder/strict-message.js';
import { strictRequests, strictResponses } from '../recorder/strict-reading.js';
import type { Codec } from './codec.js';
import {
  type HeadKind,
  MessageStream,
  type ReadMessage,
  requestHeads,
  responseHeads,
  type StreamReading,
} from './read-message.js';

/** Tells the kind of each case. */
export type Heard = (kind: string) => void;

const readIn = (codec: Codec, heads: HeadKind, maxOctets: number, parts: readonly Uint8Array[]): StreamReading => {
  const stream = new MessageStream(codec, heads, maxOctets);
  for (const part of parts) stream.push(part);
  return stream.finish();
};

const paired = (fields: readonly string[]): readonly (readonly [string, string])[] =>
  Array.from({ length: fields.length / 2 }, (_, index) => [
    (fields[index * 2] as string).toLowerCase(),
    fields[index * 2 + 1] as string,
  ]);

/** A message as both readers can tell it. */
const told = (
  line: string,
  fields: readonly (readonly [string, string])[],
  body: string,
  end: number,
  trailers: unknown,
): string => JSON.stringify({ line, fields, body, end, trailers });

const ourTelling = ({ line, fields, body, end, trailers }: ReadMessage): string =>
  told(line, paired(fields), body, end, paired(trailers));

const statusOf = (line: string): string => line.slice(9, 12);
const methodAndTarget = (line: string): string => line.slice(0, line.lastIndexOf(' '));

const theirTelling = (message: StrictMessage, isRequest: boolean): string =>
  told(
    isRequest ? methodAndTarget(message.line) : statusOf(message.line),
    message.fields,
    message.body,
    message.end,
    message.trailers,
  );

/** What the writers make of a message, as octets. */
const written = (codec: Codec, message: ReadMessage, isRequest: boolean): string => {
  const [method = '', target = ''] = message.line.split(' ');
  const head = isRequest
    ? codec.requestHeadText(method, target, message.fields, message.lines)
    : codec.responseHeadText(Number(message.line), message.fields, message.lines);
  if (message.framing !== 'chunked') return `${head}\r\n${message.body}`;
  const chunk = message.body === '' ? '' : `${codec.chunkStart(message.body.length)}${message.body}${codec.chunkEnd}`;
  return `${head}\r\n${chunk}${codec.lastChunk(message.trailers)}`;
};

const withoutEnd = (telling: string): string => telling.replace(/"end":\d+/, '');

const roomForHeads = 65_536;

interface Direction {
  readonly isRequest: boolean;
  readonly isToHead: boolean;
}

const strictlyRead = (text: string, { isRequest, isToHead }: Direction) =>
  isRequest ? strictRequests(text) : { ...strictResponses(text, isToHead ? ['HEAD', 'HEAD', 'HEAD', 'HEAD'] : []) };

const checkStream = (
  codec: Codec,
  random: SeededRandom,
  input: string,
  direction: Direction,
  heard: Heard,
): Finding | null => {
  const { isRequest, isToHead } = direction;
  const maxOctets = random.chance(0.9) ? roomForHeads : 24 + random.below(300);
  const heads = isRequest ? requestHeads(codec, maxOctets) : responseHeads(codec, maxOctets, isToHead);
  const finding = (what: string, ours: string, theirs = ''): Finding => ({ what, input, ours, theirs });
  let whole: StreamReading;
  let split: StreamReading;
  const octets = Buffer.from(input, 'latin1');
  try {
    whole = readIn(codec, heads, maxOctets, [octets]);
    split = readIn(codec, heads, maxOctets, pieces(random, octets));
  } catch (error) {
    return finding('the codec throws', error instanceof Error ? String(error.stack) : String(error));
  }
  heard(`${isRequest ? 'requests' : 'responses'}: ${whole.ending}`);
  const [one, other] = [JSON.stringify(whole), JSON.stringify(split)];
  // Empty lines before a head that only just fits count in one piece alone.
  const isAtLimit = maxOctets < roomForHeads && /\r\n\r\n\r\n|^\r\n/.test(input);
  if (one !== other && !isAtLimit) return finding('the split into reads changes what is read', one, other);

  const strict = strictlyRead(input, direction);
  const theirs = isRequest ? strict.messages : strict.messages;
  // Interim responses are messages for the codec, and none for the strict reading.
  const ours = isRequest
    ? whole.messages
    : whole.messages.filter(({ line }) => !line.startsWith('1') || line === '101');
  for (const [index, message] of ours.entries()) {
    const their = theirs[index];
    if (!message.isComplete) continue;
    if (their === undefined)
      return finding('the codec takes what the strict reader does not', ourTelling(message), String(strict.fault));
    const [a, b] = [ourTelling(message), theirTelling(their, isRequest)];
    if (a !== b) return finding('the codec reads otherwise than the strict reader', a, b);
    const text = written(codec, message, isRequest);
    const again = readIn(codec, heads, roomForHeads, [Buffer.from(text, 'latin1')]);
    const [first, ...more] = again.messages;
    const rest = message.minorVersion === 1 || message.framing !== 'chunked' ? more.length : 0;
    if (
      maxOctets === roomForHeads &&
      (first === undefined || rest > 0 || withoutEnd(ourTelling(first)) !== withoutEnd(a))
    ) {
      return finding('what is written is read otherwise', a, JSON.stringify({ text, again }));
    }
    const strictAgain = strictlyRead(text, direction);
    const [sent] = strictAgain.messages;
    const isOne =
      sent !== undefined && strictAgain.messages.length === 1 && strictAgain.fault === null && strictAgain.rest === '';
    if (!isOne || withoutEnd(theirTelling(sent, isRequest)) !== withoutEnd(b)) {
      return finding('more or else is written than was read', b, JSON.stringify({ text, strictAgain }));
    }
  }
  return null;
};

/** Tries one case of a seed: what a client sends, or what a target answers. */
export const checkCodec = (codec: Codec, seed: number, index: number, heard: Heard): Finding | null => {
  const random = chanceOf(seed, index);
  if (random.chance(0.7)) {
    return checkStream(codec, random, requestStream(random), { isRequest: true, isToHead: false }, heard);
  }
  const oddity = random.pick([0, 0.05, 0.15]);
  const one = (): string => madeResponse(random, oddity, 'm');
  const text = mutated(random, one() + (random.chance(0.5) ? one() : ''), random.below(3), one);
  return checkStream(codec, random, text, { isRequest: false, isToHead: random.chance(0.1) }, heard);
};
