import { once } from 'node:events';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FilteredIncomingMessage } from '../../../../../src/adapters/inbound/node-http-engine/filtered-incoming-message.js';
import { IncomingBody } from '../../../../../src/adapters/inbound/node-http-engine/incoming-body.js';
import { ReadAheadBudget } from '../../../../../src/adapters/inbound/node-http-engine/read-ahead.js';

const mebi = 1_048_576;
const piece = 65_536;

const newBody = (budget = new ReadAheadBudget()) => {
  const message = new FilteredIncomingMessage(new Socket());
  return { message, body: new IncomingBody(message, null, null, 60_000, budget), budget };
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
