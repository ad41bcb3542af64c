import type { Finding } from '../findings.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { clientExchange } from '../gateway/client-exchange.js';
import { type GatewayUnderTest, startGatewayUnderTest } from '../gateway/gateway-under-test.js';
import { madeServerFrames } from '../inputs/made-frames.js';
import { chanceOf } from '../inputs/seeded-random.js';
import { strictResponses } from '../recorder/strict-reading.js';
import { CaseNotes } from './case-notes.js';
import { Garbage } from './garbage.js';
import { Http2Upstream } from './http2-upstream.js';

const width = 16;
const patienceMs = 60;

interface Lane {
  readonly gateway: GatewayUnderTest;
  readonly upstream: Http2Upstream;
}

/** Clients that come after it, at most: the first may meet the session that is cut off, but not all of them. */
const nextClients = 3;

const nextAnswer = async (port: number): Promise<{ readonly text: string; readonly isGood: boolean }> => {
  const parts = [Buffer.from('GET /good HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n')];
  let text = '';
  for (let client = 0; client < nextClients; client += 1) {
    ({ text } = await clientExchange(port, { parts, isOver: () => false, patienceMs: 3_000 }));
    const [answer] = strictResponses(text, []).messages;
    if (answer?.body === 'good') return { text, isGood: true };
    if (answer?.status !== 502) break;
  }
  return { text, isGood: false };
};

const tryFrames = async (
  { gateway, upstream }: Lane,
  seed: number,
  index: number,
  counts: Tally,
): Promise<Finding | null> => {
  const random = chanceOf(seed, index);
  const oddity = random.pick([0, 0.05, 0.15, 0.4]);
  const sent: Buffer[] = [];
  upstream.answer = (stream) => {
    const octets = madeServerFrames(random, oddity, stream);
    sent.push(octets);
    return { octets, end: random.chance(0.5) };
  };
  const isPost = random.chance(0.3);
  const head = isPost
    ? 'POST /bad HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc'
    : 'GET /bad HTTP/1.1\r\nHost: a\r\n\r\n';
  const isOver = (text: string): boolean => {
    const [first] = strictResponses(text, ['GET']).messages;
    return first?.isComplete === true && !first.endsWithConnection;
  };
  const bad = await clientExchange(gateway.port, { parts: [Buffer.from(head)], isOver, patienceMs });
  counts.count(`answered ${bad.text.slice(9, 12) || 'nothing'}`);
  upstream.answer = () => null;
  // A session that is about to end for the case may take the next request with it; a new one has nothing of the case.
  upstream.forget();
  const { fault } = strictResponses(bad.text, ['GET']);
  const { text: next, isGood } = await nextAnswer(gateway.port);
  const what =
    fault !== null
      ? `the client gets no sound response: ${fault}`
      : isGood
        ? null
        : 'the next client gets something else';
  if (what === null) return null;
  return {
    what,
    input: Buffer.concat(sent).toString('latin1'),
    ours: JSON.stringify({ answered: bad.text, next }),
    theirs: '',
  };
};

/** Frames that a bad upstream answers with, through a gateway in this process, which must outlive them. */
export const http2ResponsesPart: FuzzPart = {
  name: 'http2-responses',
  missing: null,
  settledCases: 200,
  start: async () => {
    const lanes = await Promise.all(
      Array.from({ length: width }, async (): Promise<Lane> => {
        const upstream = new Http2Upstream();
        return { upstream, gateway: await startGatewayUnderTest(await upstream.listen(), '2') };
      }),
    );
    const free = [...lanes];
    const counts = new Tally();
    const garbage = new Garbage();
    const notes = new CaseNotes('http2-responses', width);
    return {
      width,
      counts,
      tryCase: async (seed, index) => {
        const lane = free.pop();
        if (lane === undefined) throw new Error('there is no lane left');
        notes.note(index);
        garbage.note();
        try {
          return await tryFrames(lane, seed, index, counts);
        } finally {
          free.push(lane);
        }
      },
      stop: async () => {
        for (const { gateway, upstream } of lanes) {
          await upstream.close();
          await gateway.stop();
        }
      },
    };
  },
};
