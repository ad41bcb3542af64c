import { builtCodec } from '../codec/codec.js';
import { MessageStream, type ReadMessage, responseHeads } from '../codec/read-message.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { madeResponse } from '../inputs/made-response.js';
import { mutated } from '../inputs/mutated.js';
import { chanceOf, type SeededRandom } from '../inputs/seeded-random.js';
import { type NodeResponse, type NodeResponseReading, readNodeResponse } from './node-response-reader.js';

const roomForHeads = 65_536;
/**
 * Responses that are read one behind the other: what follows is a response of its own where both end the one before
 * at the same place.
 */
const mostResponses = 3;

const responseStream = (random: SeededRandom): string => {
  const oddity = random.pick([0, 0.03, 0.08, 0.2]);
  const one = (): string => madeResponse(random, oddity, 'm');
  let text = '';
  for (let count = 1 + random.below(mostResponses); count > 0; count -= 1) text += one();
  return mutated(random, text, oddity === 0 || random.chance(0.4) ? random.below(4) : 0, one);
};

const told = (fields: readonly string[]): readonly string[] =>
  fields.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));

/** What both readers can tell of a head. */
const toldHead = (line: string, minorVersion: number, fields: readonly string[]): string =>
  JSON.stringify([line, minorVersion, told(fields)]);

const isSame = (ours: ReadMessage, theirs: NodeResponse): boolean => {
  const head = toldHead(ours.line, ours.minorVersion, ours.fields);
  if (head !== toldHead(String(theirs.status), theirs.minorVersion, theirs.fields)) return false;
  if (ours.isComplete !== theirs.isComplete) return false;
  // What a stream that broke off is ended with to read on is content to ours.
  if (!ours.isComplete) return ours.body.startsWith(theirs.body);
  const isSameContent = ours.body === theirs.body && ours.end === theirs.end;
  return isSameContent && JSON.stringify(told(ours.trailers)) === JSON.stringify(told(theirs.trailers));
};

/** What only the end of the connection ends is whole with that. */
const ended = (message: ReadMessage, streamEnd: number): ReadMessage =>
  message.framing === 'close' ? { ...message, isComplete: true, end: streamEnd } : message;

/**
 * The first response of ours that is no interim one; null: none, or a switch of protocols, which no target is asked
 * for.
 */
const firstOf = (messages: readonly ReadMessage[], streamEnd: number): ReadMessage | null => {
  const message = messages.find(({ line }) => line === '101' || !line.startsWith('1'));
  return message === undefined || message.line === '101' ? null : ended(message, streamEnd);
};

const hasTrailer = ({ trailers }: ReadMessage, name: RegExp): boolean =>
  trailers.some((text, index) => index % 2 === 0 && name.test(text));
const framing = /^(?:content-length|transfer-encoding)$/i;
const endsInTab = /(?:content-length|transfer-encoding):[^\r\n]*\t\r\n/i;

/** What Node's parser refuses and the codec takes, by the parser's codes: where, and why. */
const explained: ReadonlyMap<string, (message: ReadMessage, input: string) => boolean> = new Map([
  // Fields behind a body say nothing of framing (RFC 9110, section 6.5.1); a tab behind a value is no part of it.
  ['HPE_INVALID_TRANSFER_ENCODING', (message, input) => hasTrailer(message, framing) || endsInTab.test(input)],
  ['HPE_INVALID_CONTENT_LENGTH', (message, input) => hasTrailer(message, framing) || endsInTab.test(input)],
  ['HPE_UNEXPECTED_CONTENT_LENGTH', (message) => hasTrailer(message, framing)],
]);

type Verdict = 'alike' | 'refused by us' | 'taken by us' | 'read otherwise';

const compared = (ours: ReadMessage | null, weRefuse: boolean, { response, fault }: NodeResponseReading): Verdict => {
  if (weRefuse && ours?.isComplete !== true) return 'refused by us';
  if (ours === null) return response === null ? 'alike' : 'read otherwise';
  if (response === null || fault !== null) return 'taken by us';
  return isSame(ours, response) ? 'alike' : 'read otherwise';
};

const faultless: ReadonlySet<string> = new Set(['between', 'inside a head', 'inside a body']);

/**
 * The codec beside Node's own client: a response that ours takes has the same status, fields, content and end for
 * both.
 */
export const nodeResponsesPart: FuzzPart = {
  name: 'node-responses',
  missing: null,
  settledCases: 20_000,
  start: async () => {
    const codec = await builtCodec();
    const counts = new Tally();
    return {
      width: 8,
      counts,
      tryCase: async (seed, index) => {
        const random = chanceOf(seed, index);
        let input = responseStream(random);
        const method = random.chance(0.1) ? 'HEAD' : 'GET';
        for (let turn = 0; turn < mostResponses && input !== ''; turn += 1) {
          const octets = Buffer.from(input, 'latin1');
          const stream = new MessageStream(codec, responseHeads(codec, roomForHeads, method === 'HEAD'), roomForHeads);
          stream.push(octets);
          const { messages, ending } = stream.finish();
          const ours = firstOf(messages, octets.length);
          const isSwitch = messages.some(({ line }) => line === '101');
          const theirs = await readNodeResponse(octets, method);
          const verdict = isSwitch ? 'a switch of protocols' : compared(ours, !faultless.has(ending), theirs);
          const fault = theirs.fault ?? '';
          counts.count(verdict === 'taken by us' ? `only the codec takes it: ${fault}` : verdict);
          const finding = (what: string) => ({
            what,
            input,
            ours: JSON.stringify({ messages, ending }),
            theirs: JSON.stringify(theirs),
          });
          if (verdict === 'read otherwise') return finding('the codec reads a response otherwise than Node');
          const isExplained = ours !== null && explained.get(fault)?.(ours, input) === true;
          if (verdict === 'taken by us' && !isExplained)
            return finding(`the codec takes a response that Node refuses: ${fault}`);
          if (verdict !== 'alike' || ours?.isComplete !== true) return null;
          input = input.slice(ours.end);
        }
        return null;
      },
      stop: async () => undefined,
    };
  },
};
