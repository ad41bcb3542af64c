import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../findings.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { madeResponse } from '../inputs/made-response.js';
import { mutated } from '../inputs/mutated.js';
import { chanceOf, type SeededRandom } from '../inputs/seeded-random.js';
import { targetOf } from '../recorder/octet-recorder.js';
import { type StrictResponse, valuesIn } from '../recorder/strict-message.js';
import { type StrictResponses, strictResponses } from '../recorder/strict-reading.js';
import { clientExchange } from './client-exchange.js';
import { type Lane, Lanes } from './lanes.js';
import { answerPlan, PartedAnswer, reasonToEnd } from './parted-answer.js';

const width = 16;
const patienceMs = 300;

/** Fields that the gateway has of its own, or makes anew for each connection. */
const ownFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-correlation-id',
]);

/** Whether each field of a response but the gateway's own is one that its upstream has said. */
const isTold = (meant: StrictResponse, got: StrictResponse): boolean =>
  got.fields.every(
    ([name, value]) =>
      ownFields.has(name) || meant.fields.some(([known, told]) => known === name && told.trim() === value.trim()),
  );

/** Whether each interim response is one that its upstream has said, and in that order. */
const areTold = (meant: readonly StrictResponse[], got: readonly StrictResponse[]): boolean => {
  let next = 0;
  return got.every((interim) => {
    while (next < meant.length && !isSame(meant[next] as StrictResponse, interim)) next += 1;
    next += 1;
    return next <= meant.length;
  });
};

const isSame = (meant: StrictResponse, got: StrictResponse): boolean =>
  meant.status === got.status && isTold(meant, got);

/** What the client of a bad response may get: the gateway's own word, or the one response that it is, whole or cut. */
const judge = (given: StrictResponses, got: StrictResponses): string | null => {
  if (got.fault !== null) return 'the client gets no sound response';
  if (!areTold(given.interims, got.interims)) return 'the client gets an interim response that was not said';
  const [first, ...more] = got.messages;
  if (more.length > 0) return 'the client gets several responses';
  if (first === undefined) return got.rest === '' ? null : 'the client gets a part of a head';
  if (first.status === 502 || first.status === 504) return null;
  const [meant] = given.messages;
  if (meant === undefined) return 'the client gets a response that is none';
  if (meant.status !== first.status) return 'the client gets another status';
  if (!isTold(meant, first)) return 'the client gets a field that was not said';
  if (!meant.body.startsWith(first.body)) return 'the client gets another body';
  const isCut = meant.body.length > first.body.length || !meant.isComplete;
  return isCut && first.isComplete && !first.endsWithConnection ? 'a body that was cut seems whole' : null;
};

/** A sound response whose end is its own, for a target to say it again and again. */
const repeatable = (random: SeededRandom, mark: string): string | null => {
  const text = madeResponse(random, 0, mark);
  const [message] = strictResponses(text, ['GET']).messages;
  return message?.isComplete === true && !message.endsWithConnection ? text : null;
};

/** Has the gateway come to know a response: what is wrong with what its client gets, or null. */
const repeat = async (lane: Lane, text: string): Promise<string | null> => {
  lane.recorder.answer = () => text;
  const parts = ['', '', '', 'Connection: close\r\n'].map((line) =>
    Buffer.from(`GET /same HTTP/1.1\r\nHost: a\r\n${line}\r\n`),
  );
  const { text: got } = await clientExchange(lane.gateway.port, { parts, isOver: () => false, patienceMs: 2_000 });
  const [meant] = strictResponses(text, ['GET']).messages;
  const { messages, fault } = strictResponses(got, ['GET', 'GET', 'GET', 'GET']);
  const areSame = messages.every(
    (message) =>
      message.status === meant?.status &&
      message.body === meant.body &&
      isTold(meant, message) &&
      isDeepStrictEqual(valuesIn(message.fields, 'x-mark'), valuesIn(meant.fields, 'x-mark')),
  );
  return fault === null && messages.length === parts.length && areSame ? null : `a response that comes again: ${got}`;
};

const tryResponse = async (lane: Lane, seed: number, index: number, counts: Tally): Promise<Finding | null> => {
  const random = chanceOf(seed, index);
  const oddity = random.pick([0, 0.05, 0.15, 0.3]);
  const mark = `mark-${index}`;
  const one = (): string => madeResponse(random, oddity, mark);
  const again = random.chance(0.3) ? repeatable(random, mark) : null;
  // As long as it, with another value in it, or the very same.
  const first = again?.replaceAll(mark, random.chance(0.5) ? mark : `${mark.slice(0, -1)}x`) ?? one();
  const text = mutated(random, first + (random.chance(0.4) ? one() : ''), random.below(3), one);
  const method = random.chance(0.15) ? 'HEAD' : 'GET';
  const misread = again === null ? null : await repeat(lane, again);
  if (again !== null) counts.count('its head had come before');
  const answer = new PartedAnswer(answerPlan(random, text, method, random.chance(0.5)));
  const comesLate = random.chance(0.5);
  let misuse: string | null = null;
  lane.recorder.answer = (request, _turn, socket) => {
    if (targetOf(request) === '/bad') {
      answer.begin(socket);
      return null;
    }
    const sent = answer.sentOn(socket);
    if (sent !== null) {
      misuse = reasonToEnd(sent, method);
      counts.count('the connection is used again');
    }
    return `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood`;
  };
  const parts = [Buffer.from(`${method} /bad HTTP/1.1\r\nHost: a\r\n\r\n`)];
  const isOver = (answered: string): boolean => {
    const [first] = strictResponses(answered, [method]).messages;
    return first?.isComplete === true && !first.endsWithConnection;
  };
  const bad = await clientExchange(lane.gateway.port, { parts, isOver, patienceMs });
  // Now and then the connection is idle when the rest comes. Nothing comes once the next request may be on its way.
  if (comesLate && bad.text !== '') await answer.isSent;
  answer.stop();
  counts.count(`answered ${bad.text.slice(9, 12) || 'nothing'}`);
  const next = [Buffer.from(`GET /good HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n`)];
  const good = await clientExchange(lane.gateway.port, { parts: next, isOver: () => false, patienceMs: 2_000 });
  const wrong = judge(strictResponses(text, [method]), strictResponses(bad.text, [method]));
  const [after] = strictResponses(good.text, []).messages;
  const isGood = after?.status === 200 && after.body === 'good' && !good.text.includes('mark-');
  const reused = misuse === null ? null : `a connection is used again: ${misuse}`;
  const what = misread ?? wrong ?? reused ?? (isGood ? null : 'the next client gets something else than its response');
  if (what === null) return null;
  return {
    what,
    input: text,
    ours: JSON.stringify({ answered: bad.text, next: good.text }),
    theirs: JSON.stringify(strictResponses(text, [method])),
  };
};

/**
 * Bad responses of an upstream through a gateway: its client gets one sound response, and the next client none of it.
 */
export const responsesPart: FuzzPart = {
  name: 'responses',
  missing: null,
  settledCases: 2_000,
  start: async () => {
    const lanes = await Lanes.start(width);
    const counts = new Tally();
    return {
      width,
      counts,
      tryCase: (seed, index) => lanes.use((lane) => tryResponse(lane, seed, index, counts)),
      stop: () => lanes.stop(),
    };
  },
};
