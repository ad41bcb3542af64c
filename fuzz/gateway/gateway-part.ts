import type { HttpEngineName } from '../../src/domain/configuration/gateway-configuration.js';
import type { Finding } from '../findings.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { pieces } from '../inputs/pieces.js';
import { requestStream } from '../inputs/request-stream.js';
import { chanceOf } from '../inputs/seeded-random.js';
import { targetOf } from '../recorder/octet-recorder.js';
import { strictRequests, strictResponses } from '../recorder/strict-reading.js';
import { clientExchange } from './client-exchange.js';
import { judgeRequests, judgeResponses } from './judge-exchange.js';
import { type Lane, Lanes } from './lanes.js';

const width = 32;
const patienceMs = 250;

const statusesIn = (text: string): string =>
  (text.match(/HTTP\/1\.1 \d{3}/g) ?? []).map((line) => line.slice(9)).join(' ');

/** A request of somebody else, behind the case: what a connection to the upstream has kept of the case would show in it. */
const probe = async ({ gateway, recorder }: Lane, index: number): Promise<string | null> => {
  const target = `/probe-${index}`;
  const parts = [Buffer.from(`GET ${target} HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n`)];
  const { text } = await clientExchange(gateway.port, { parts, isOver: () => false, patienceMs: 2_000 });
  const [response] = strictResponses(text, []).messages;
  if (response?.status !== 200 || response.body !== `for ${target}`) return `the next client gets: ${text}`;
  const sent = recorder.requests().filter((request) => targetOf(request) === target);
  return sent.length === 1 ? null : `for the next client ${sent.length} requests go out`;
};

interface Trying {
  readonly counts: Tally;
  readonly engine: HttpEngineName;
}

const tryInput = async (
  lane: Lane,
  seed: number,
  index: number,
  { counts, engine }: Trying,
): Promise<Finding | null> => {
  const random = chanceOf(seed, index);
  const input = requestStream(random);
  const asked = strictRequests(input, { isLax: engine === 'node' });
  const methods = asked.messages.map(({ line }) => line.slice(0, line.indexOf(' ')));
  const complete = asked.messages.filter(({ isComplete }) => isComplete).length;
  const octets = Buffer.from(input, 'latin1');
  const parts = random.chance(0.3) && octets.length < 400 ? pieces(random, octets) : [octets];
  const isOver = (text: string): boolean => {
    if (asked.fault !== null || complete === 0) return false;
    const { messages } = strictResponses(text, methods);
    return messages.length >= complete && messages.every(({ isComplete }) => isComplete);
  };
  const { text, isClosed } = await clientExchange(lane.gateway.port, { parts, isOver, patienceMs });
  counts.count(`answered ${statusesIn(text) || 'nothing'}`);
  const out = lane.recorder.requests();
  const faults = lane.recorder.faults();
  const finding = (what: string): Finding => ({
    what,
    input,
    ours: JSON.stringify({ sent: lane.recorder.texts(), answered: text }),
    theirs: JSON.stringify(asked),
  });
  const [fault] = faults;
  if (fault !== undefined && isClosed) return finding(`what goes out is not sound: ${fault}`);
  const wrong = judgeRequests(asked, out) ?? judgeResponses(asked, text, isClosed);
  if (wrong !== null) return finding(wrong);
  const after = await probe(lane, index);
  return after === null ? null : finding(after);
};

/** Bad requests over real sockets through a gateway: for each at most one goes out, and it is sound. */
export const gatewayPart: FuzzPart = {
  name: 'gateway',
  missing: null,
  start: async ({ engine }) => {
    const lanes = await Lanes.start(width, engine);
    const counts = new Tally();
    return {
      width,
      counts,
      tryCase: (seed, index) => lanes.use((lane) => tryInput(lane, seed, index, { counts, engine })),
      stop: () => lanes.stop(),
    };
  },
};
