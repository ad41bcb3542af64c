import { METHODS } from 'node:http';
import { builtCodec } from '../codec/codec.js';
import { MessageStream, type ReadMessage, requestHeads } from '../codec/read-message.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { requestStream } from '../inputs/request-stream.js';
import { chanceOf } from '../inputs/seeded-random.js';
import { compareReadings } from './compare-readings.js';
import { NodeReader } from './node-reader.js';

const roomForHeads = 65_536;

/** Where the codec goes on and Node's parser does not. */
interface Place {
  /** The request that only the codec takes. */
  readonly message: ReadMessage;
  /** Those that both take. */
  readonly before: readonly ReadMessage[];
  readonly input: string;
}

const framing = /^(?:content-length|transfer-encoding)$/i;
const hasTrailer = ({ trailers }: ReadMessage, name: RegExp): boolean =>
  trailers.some((text, index) => index % 2 === 0 && name.test(text));
const framesInTrailers = ({ message }: Place): boolean => hasTrailer(message, framing);
const methodOf = ({ line }: ReadMessage): string => line.slice(0, line.indexOf(' '));

/** What Node's parser refuses and the codec may take, by the parser's codes: where, and why. */
const explained: ReadonlyMap<string, (place: Place) => boolean> = new Map([
  // It knows a list of methods; RFC 9110, section 16.1, lets there be others.
  ['HPE_INVALID_METHOD', ({ message }) => !METHODS.includes(methodOf(message))],
  // It takes PRI for the beginning of HTTP/2, whatever stands behind it.
  ['HPE_INVALID_VERSION', ({ message }) => methodOf(message) === 'PRI'],
  ['HPE_INVALID_EOF_STATE', ({ message }) => methodOf(message) === 'PRI'],
  // The forms of targets are judged by the gateway, when their octets are known to be sound.
  ['HPE_INVALID_URL', ({ message: { line } }) => !line.includes(' /') && !line.endsWith(' *')],
  // Fields behind a body say nothing of framing (RFC 9110, section 6.5.1), and the gateway drops them.
  ['HPE_INVALID_TRANSFER_ENCODING', framesInTrailers],
  ['HPE_INVALID_CONTENT_LENGTH', framesInTrailers],
  ['HPE_UNEXPECTED_CONTENT_LENGTH', framesInTrailers],
  ['HPE_CLOSED_CONNECTION', ({ before }) => before.some((message) => hasTrailer(message, /^connection$/i))],
]);

/** The codec beside Node's own parser: what ours takes has to mean the same to both. */
export const nodePart: FuzzPart = {
  name: 'node',
  missing: null,
  settledCases: 20_000,
  start: async () => {
    const codec = await builtCodec();
    const reader = new NodeReader();
    const counts = new Tally();
    return {
      width: 8,
      counts,
      tryCase: async (seed, index) => {
        const input = requestStream(chanceOf(seed, index));
        const octets = Buffer.from(input, 'latin1');
        const stream = new MessageStream(codec, requestHeads(codec, roomForHeads), roomForHeads);
        stream.push(octets);
        const ours = stream.finish();
        const theirs = await reader.read(octets);
        const difference = compareReadings(ours, theirs.messages, theirs.fault !== null);
        if (difference.kind === 'none') {
          counts.count('read alike');
          return null;
        }
        const readings = { input, ours: JSON.stringify(ours), theirs: JSON.stringify(theirs) };
        if (difference.kind === 'read otherwise') return { what: 'the codec reads otherwise than Node', ...readings };
        if (difference.which === 'theirs') {
          counts.count(`only Node takes it: ${ours.ending}`);
          return null;
        }
        const fault = theirs.fault ?? '';
        counts.count(`only the codec takes it: ${fault}`);
        const message = ours.messages[difference.turn];
        const isExplained =
          message !== undefined &&
          explained.get(fault)?.({ message, before: ours.messages.slice(0, difference.turn), input }) === true;
        return isExplained ? null : { what: `the codec takes what Node refuses: ${fault}`, ...readings };
      },
      stop: async () => undefined,
    };
  },
};
