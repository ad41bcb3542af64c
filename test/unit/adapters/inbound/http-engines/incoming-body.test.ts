import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BodyPatience } from '../../../../../src/adapters/inbound/http-engines/connections/body-patience.js';
import { ReadAheadBudget } from '../../../../../src/adapters/inbound/http-engines/connections/read-ahead.js';
import { FilteredIncomingMessage } from '../../../../../src/adapters/inbound/http-engines/node/filtered-incoming-message.js';
import { IncomingBody } from '../../../../../src/adapters/inbound/http-engines/node/incoming-body.js';
import type { BodyReadError } from '../../../../../src/application/ports/body-source.js';

const patience: BodyPatience = { silenceMs: 60_000, minOctetsPerSecond: 0, graceMs: 0 };

const mebi = 1_048_576;
const piece = 65_536;

const newBody = (budget = new ReadAheadBudget()) => {
  const message = new FilteredIncomingMessage(new Socket());
  return { message, body: new IncomingBody(message, null, null, patience, budget), budget };
};

/** What the parser does: it hands on what has come, until it is told to read no more. Gives the octets that were taken. */
const pour = async (message: FilteredIncomingMessage, most: number): Promise<number> => {
  let poured = 0;
  let takesMore = true;
  while (takesMore && poured < most) {
    message.push(Buffer.alloc(piece, poured / piece));
    poured += piece;
    // The turn in which a connection that nobody reads would be read on.
    await new Promise((resolve) => setImmediate(resolve));
    takesMore = message.readableLength < message.readableHighWaterMark;
  }
  return poured;
};

const readAll = async (body: IncomingBody): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for (let read = await body.read(); read !== null; read = await body.read()) pieces.push(read);
  return Buffer.concat(pieces);
};

const cancelThenAsk = (body: IncomingBody): void => {
  body.cancel();
  body.lookAhead(true);
};

describe('a body that nobody reads', () => {
  it('is not read ahead unasked', async () => {
    const { message, budget } = newBody();
    expect(await pour(message, 4 * mebi)).toBe(piece);
    expect(budget.left).toBe(new ReadAheadBudget().left);
  });

  it('is read ahead up to a mebibyte, and all of it is there for who reads it then', async () => {
    const { message, body, budget } = newBody();
    const all = budget.left;
    body.lookAhead(true);
    const poured = await pour(message, 4 * mebi);
    expect(poured).toBeGreaterThanOrEqual(mebi);
    expect(poured).toBeLessThanOrEqual(mebi + 2 * piece);
    expect(all - budget.left).toBeGreaterThanOrEqual(mebi);
    body.lookAhead(false);
    message.push(Buffer.from('end'));
    message.push(null);
    const read = await readAll(body);
    expect(read.length).toBe(poured + 3);
    for (let at = 0; at < poured; at += piece) expect(read[at]).toBe(at / piece);
    expect(budget.left).toBe(all);
  });

  it('is read ahead from where it stands', async () => {
    const { message, body } = newBody();
    await pour(message, 4 * mebi);
    expect(message.readableLength).toBe(piece);
    body.lookAhead(true);
    expect(message.readableLength).toBe(0);
  });

  it('is read ahead no more once that is not wanted, or the body itself is not', async () => {
    for (const stop of [
      (body: IncomingBody) => body.lookAhead(false),
      (body: IncomingBody) => body.cancel(),
      cancelThenAsk,
    ]) {
      const { message, body } = newBody();
      body.lookAhead(true);
      stop(body);
      expect(await pour(message, 4 * mebi)).toBe(piece);
    }
  });

  it('lets go of what has come of it once it is not wanted, so that its connection is read on', async () => {
    const { message, body } = newBody();
    body.lookAhead(true);
    await pour(message, 4 * mebi);
    await body.read();
    message.push(Buffer.alloc(piece));
    message.push(null);
    message.complete = true;
    expect(message.readableLength).toBeGreaterThanOrEqual(message.readableHighWaterMark);
    body.cancel();
    await once(message, 'end');
    expect(message.readableLength).toBe(0);
  });

  it('shares what may be read ahead with all others, and gives its share back', async () => {
    const budget = new ReadAheadBudget();
    const all = budget.left;
    const bodies = Array.from({ length: 100 }, () => newBody(budget));
    for (const { message, body } of bodies) {
      body.lookAhead(true);
      await pour(message, 2 * mebi);
    }
    expect(budget.left).toBeGreaterThan(-piece);
    expect(budget.left).toBeLessThanOrEqual(0);
    for (const { body } of bodies) body.cancel();
    expect(budget.left).toBe(all);
  });
});

describe('the pace of a body', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => vi.useRealTimers());

  /** What is made of a body that may have this rate, a second, once it was waited for half a second. */
  const newPaced = (minOctetsPerSecond: number) => {
    const message = new FilteredIncomingMessage(new Socket());
    const paced: BodyPatience = { silenceMs: 5_000, minOctetsPerSecond, graceMs: 500 };
    return { message, body: new IncomingBody(message, null, null, paced, new ReadAheadBudget()) };
  };

  /** One read, and whether it came to something, or failed, in the time. */
  const readWithin = async (body: IncomingBody, ms: number): Promise<string> => {
    let end = 'nothing';
    const reading = body.read().then(
      (chunk) => {
        end = String(chunk);
      },
      ({ code }: BodyReadError) => {
        end = code;
      },
    );
    await vi.advanceTimersByTimeAsync(ms);
    if (end === 'nothing') body.cancel();
    await reading;
    return end === 'aborted' ? 'nothing' : end;
  };

  it('is not looked at while nobody reads', async () => {
    const { message, body } = newPaced(1_000_000);
    for (let index = 0; index < 3; index += 1) {
      await vi.advanceTimersByTimeAsync(10_000);
      message.push('a');
      expect(String(await body.read())).toBe('a');
    }
    expect(await readWithin(body, 499)).toBe('nothing');
  });

  it('ends what comes too slowly for who reads it, at the moment in which it does', async () => {
    for (const [ms, end] of [
      [499, 'nothing'],
      [500, 'timed_out'],
    ] as const) {
      const { message, body } = newPaced(1_000);
      for (let index = 0; index < 5; index += 1) {
        const reading = body.read();
        await vi.advanceTimersByTimeAsync(100);
        message.push('a'.repeat(200));
        expect(await reading).toHaveLength(200);
      }
      // A thousand octets are worth a second, of which half is over.
      expect(await readWithin(body, ms)).toBe(end);
    }
  });

  it('counts the time in which it is read ahead, once where it is read as well', async () => {
    const { body } = newPaced(1_000);
    body.lookAhead(true);
    await vi.advanceTimersByTimeAsync(400);
    const reading = body.read().catch(({ code }: BodyReadError) => code);
    await vi.advanceTimersByTimeAsync(99);
    body.lookAhead(false);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(await reading).toBe('timed_out');
  });

  it('is nothing to a client that was not told yet to send it', async () => {
    const message = new FilteredIncomingMessage(new Socket());
    const response = new ServerResponse(message);
    const paced: BodyPatience = { silenceMs: 5_000, minOctetsPerSecond: 1_000, graceMs: 500 };
    const body = new IncomingBody(message, null, response, paced, new ReadAheadBudget());
    body.lookAhead(true);
    await vi.advanceTimersByTimeAsync(10_000);
    body.lookAhead(false);
    expect(await readWithin(body, 499)).toBe('nothing');
  });

  it('is nothing where there is no rate', async () => {
    const { body } = newPaced(0);
    expect(await readWithin(body, 4_999)).toBe('nothing');
  });
});
