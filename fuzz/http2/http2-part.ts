import type { Finding } from '../findings.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { clientExchange } from '../gateway/client-exchange.js';
import { type Lane, Lanes } from '../gateway/lanes.js';
import { madeClientFrames } from '../inputs/made-frames.js';
import { pieces } from '../inputs/pieces.js';
import { chanceOf } from '../inputs/seeded-random.js';
import { targetOf } from '../recorder/octet-recorder.js';
import { strictResponses } from '../recorder/strict-reading.js';
import { CaseNotes } from './case-notes.js';
import { Garbage } from './garbage.js';

const width = 16;
const patienceMs = 15;

/** HEADERS frames, wherever they stand: no more requests can come of them. */
const mostRequests = (octets: Buffer): number => {
  let count = 0;
  for (let at = 24; at + 9 <= octets.length; at += 9 + octets.readUIntBE(at, 3)) if (octets[at + 3] === 1) count += 1;
  return count;
};

const probe = async ({ gateway }: Lane, index: number): Promise<string | null> => {
  const target = `/probe-${index}`;
  const parts = [Buffer.from(`GET ${target} HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n`)];
  const { text } = await clientExchange(gateway.port, { parts, isOver: () => false, patienceMs: 2_000 });
  const [response] = strictResponses(text, []).messages;
  return response?.status === 200 && response.body === `for ${target}` ? null : `the next client gets: ${text}`;
};

const tryFrames = async (lane: Lane, seed: number, index: number, counts: Tally): Promise<Finding | null> => {
  const random = chanceOf(seed, index);
  const octets = madeClientFrames(random, random.pick([0, 0.05, 0.15, 0.4]));
  const parts = random.chance(0.2) && octets.length < 500 ? pieces(random, octets) : [octets];
  const { text } = await clientExchange(lane.gateway.port, { parts, isOver: () => false, patienceMs });
  counts.count(text === '' ? 'answered nothing' : 'answered in frames');
  const out = lane.recorder.requests().filter((request) => !targetOf(request).startsWith('/probe'));
  counts.count(`requests that went out: ${out.length}`);
  const finding = (what: string): Finding => ({
    what,
    input: octets.toString('latin1'),
    ours: JSON.stringify(lane.recorder.texts()),
    theirs: '',
  });
  // One that was cut off stands alone on its connection.
  const fault = lane.recorder.readings().find((reading) => reading.fault !== null)?.fault;
  if (fault !== undefined && fault !== null) return finding(`what goes out is not sound: ${fault}`);
  if (out.length > mostRequests(octets)) return finding('more requests go out than came');
  const after = await probe(lane, index);
  return after === null ? null : finding(after);
};

/** Frames of HTTP/2 that nobody sends by mistake, to a gateway in this process, which must outlive them. */
export const http2Part: FuzzPart = {
  name: 'http2',
  missing: null,
  settledCases: 200,
  start: async () => {
    const lanes = await Lanes.start(width);
    const counts = new Tally();
    const garbage = new Garbage();
    const notes = new CaseNotes('http2', width);
    return {
      width,
      counts,
      tryCase: (seed, index) => {
        notes.note(index);
        garbage.note();
        return lanes.use((lane) => tryFrames(lane, seed, index, counts));
      },
      stop: () => lanes.stop(),
    };
  },
};
