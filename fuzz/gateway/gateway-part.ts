import type { Finding } from '../findings.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { pieces } from '../inputs/pieces.js';
import { requestStream } from '../inputs/request-stream.js';
import { chanceOf, type SeededRandom } from '../inputs/seeded-random.js';
import { type OctetRecorder, plainAnswer, targetOf } from '../recorder/octet-recorder.js';
import { strictRequests, strictResponses } from '../recorder/strict-reading.js';
import { clientExchange } from './client-exchange.js';
import { heldCapacity } from './held-capacity.js';
import { HoldingUpstream, heldUpload } from './held-upload.js';
import { judgeRequests, judgeResponses } from './judge-exchange.js';
import { type Lane, Lanes } from './lanes.js';
import { OutgoingSockets } from './outgoing-sockets.js';

const width = 32;
const patienceMs = 250;
/** Longer than it takes an upstream to read what a case has left it to read. */
const probePatienceMs = 12_000;
/** They take long: some megabytes each. */
const shareOfUploads = 0.04;
const longestShown = 20_000;

const shortened = (text: string): string => (text.length > longestShown ? `${text.slice(0, longestShown)}...` : text);

const statusesIn = (text: string): string =>
  (text.match(/HTTP\/1\.1 \d{3}/g) ?? []).map((line) => line.slice(9)).join(' ');

/**
 * A request of somebody else, behind the case: what a connection to the upstream has kept of the case would show in
 * it.
 */
const probe = async ({ gateway, recorder }: Lane, index: number): Promise<string | null> => {
  const target = `/probe-${index}`;
  const parts = [Buffer.from(`GET ${target} HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n`)];
  const { text } = await clientExchange(gateway.port, { parts, isOver: () => false, patienceMs: probePatienceMs });
  const [response] = strictResponses(text, []).messages;
  if (response?.status !== 200 || response.body !== `for ${target}`) return `the next client gets: ${text}`;
  const sent = recorder.requests().filter((request) => targetOf(request) === target);
  return sent.length === 1 ? null : `for the next client ${sent.length} requests go out`;
};

interface Trying {
  readonly counts: Tally;
  /** Octets that the system holds for an upstream that does not read. */
  readonly capacity: number;
  readonly outgoing: OutgoingSockets;
}

/** What a client sends, and how. */
interface Sent {
  readonly input: string;
  readonly parts: readonly Uint8Array[];
  readonly holdMs?: number;
  readonly patienceMs: number;
  readonly holding?: HoldingUpstream;
}

const longestHoldMs = 8;

/** In two parts, of which the other is sent when an answer comes, or a little later: often cut behind a head. */
const inTwo = (random: SeededRandom, input: string): Sent => {
  const headEnd = input.indexOf('\r\n\r\n') + 4;
  const cut = random.chance(0.6) && headEnd > 3 ? headEnd + random.below(8) : random.below(input.length);
  const parts = [input.slice(0, cut), input.slice(cut)].map((part) => Buffer.from(part, 'latin1'));
  return { input, parts, holdMs: random.below(longestHoldMs), patienceMs };
};

const chosen = (random: SeededRandom, recorder: OctetRecorder, capacity: number): Sent => {
  recorder.answer = plainAnswer;
  recorder.isEager = false;
  if (random.chance(shareOfUploads)) {
    const holding = new HoldingUpstream();
    recorder.answer = (_request, _turn, socket) => {
      holding.hold(socket);
      return null;
    };
    recorder.isEager = true;
    const input = heldUpload(random, capacity);
    return { input, parts: [Buffer.from(input, 'latin1')], patienceMs: 2_000, holding };
  }
  const input = requestStream(random);
  if (random.chance(0.3)) {
    recorder.isEager = random.chance(0.7);
    return inTwo(random, input);
  }
  const octets = Buffer.from(input, 'latin1');
  const parts = random.chance(0.3) && octets.length < 400 ? pieces(random, octets) : [octets];
  return { input, parts, patienceMs };
};

const tryInput = async (
  lane: Lane,
  seed: number,
  index: number,
  { counts, capacity, outgoing }: Trying,
): Promise<Finding | null> => {
  const { recorder } = lane;
  const { input, holding, ...sent } = chosen(chanceOf(seed, index), recorder, capacity);
  const asked = strictRequests(input);
  const methods = asked.messages.map(({ line }) => line.slice(0, line.indexOf(' ')));
  const complete = asked.messages.filter(({ isComplete }) => isComplete).length;
  const isOver = (text: string): boolean => {
    if (asked.fault !== null || complete === 0) return false;
    const { messages } = strictResponses(text, methods);
    return messages.length >= complete && messages.every(({ isComplete }) => isComplete);
  };
  const { text, isClosed } = await clientExchange(lane.gateway.port, { ...sent, isOver });
  counts.count(`answered ${statusesIn(text) || 'nothing'}`);
  const heldPort = holding?.port ?? null;
  // It has a turn of the loop to end a connection.
  await new Promise((resolve) => setImmediate(resolve));
  const isKept = heldPort !== null && outgoing.holdsOctets(heldPort);
  holding?.resume();
  const out = recorder.requests();
  if (out.some(({ isComplete }) => !isComplete)) counts.count('a request went out in part');
  const faults = recorder.faults();
  const finding = (what: string): Finding => ({
    what,
    input,
    ours: shortened(JSON.stringify({ sent: recorder.texts(), answered: text })),
    theirs: shortened(JSON.stringify(asked)),
  });
  const [fault] = faults;
  if (fault !== undefined && isClosed) return finding(`what goes out is not sound: ${fault}`);
  const wrong = judgeRequests(asked, out) ?? judgeResponses(asked, text, isClosed);
  if (wrong !== null) return finding(wrong);
  if (isKept) return finding('a connection is kept that has not taken all of its request');
  recorder.isEager = false;
  recorder.answer = plainAnswer;
  const after = await probe(lane, index);
  return after === null ? null : finding(after);
};

/** Bad requests over real sockets through a gateway: for each at most one goes out, and it is sound. */
export const gatewayPart: FuzzPart = {
  name: 'gateway',
  missing: null,
  settledCases: 200,
  start: async () => {
    const capacity = await heldCapacity();
    const lanes = await Lanes.start(width);
    const counts = new Tally();
    const outgoing = new OutgoingSockets();
    const trying = { counts, capacity, outgoing };
    return {
      width,
      counts,
      tryCase: (seed, index) => lanes.use((lane) => tryInput(lane, seed, index, trying)),
      stop: async () => {
        outgoing.stop();
        await lanes.stop();
      },
    };
  },
};
