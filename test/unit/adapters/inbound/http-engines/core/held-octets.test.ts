import { describe, expect, it } from 'vitest';
import { ReadAheadBudget } from '../../../../../../src/adapters/inbound/http-engines/connections/read-ahead.js';
import type { ClientRequest, ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { fedConnection } from '../../../../../support/gateway/fed-connection.js';
import { eventually } from '../../../../../support/shared/eventually.js';

const post = (fields: string): Buffer => Buffer.from(`POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n`);
const counted = post('Content-Length: 10000000');
const read = (length: number): Buffer => Buffer.alloc(length, 'x');

/** Connections of one listener, whose requests are held. */
const start = () => {
  const exchanges: [ClientRequest, ClientResponse][] = [];
  const budget = new ReadAheadBudget();
  const open = () => fedConnection((request, response) => exchanges.push([request, response]), {}, budget);
  return { budget, exchanges, open, whole: { ...budget } };
};

describe('the octets of a body', () => {
  it.each([
    ['one at a time', '1\r\na\r\n'],
    ['one at a time, with sizes as long as may be', '00000001\r\na\r\n'],
  ])('in chunks of %s keep little more memory than they are, held or handed on', async (_, chunk) => {
    const { exchanges, open } = start();
    const connection = open();
    await connection.feed(post('Transfer-Encoding: chunked'));
    const body = exchanges[0]?.[0].body;
    const came: Uint8Array[] = [];
    const whole = Buffer.from(chunk.repeat(60_000 / chunk.length));
    for (const isAwaited of [false, true, false]) {
      const awaited = isAwaited ? body?.read() : null;
      await connection.feed(whole);
      came.push((await (awaited ?? body?.read())) as Uint8Array);
    }
    expect(came).toHaveLength(3);
    for (const piece of came) expect(piece.buffer.byteLength).toBeLessThanOrEqual(piece.length * 2);
    connection.end();
  });

  it('are charged to all from the first one beyond a read, until they are read', async () => {
    const { budget, exchanges, open, whole } = start();
    const connection = open();
    await connection.feed(counted);
    await connection.feed(read(65_536));
    expect(budget.left).toBe(whole.left);
    await connection.feed(read(30_000));
    expect(budget.left).toBe(whole.left - 30_000);
    await exchanges[0]?.[0].body?.read();
    expect(budget.left).toBe(whole.left);
    connection.end();
  });

  it.each(['read', 'not read'])('are charged no more behind a response, if they were all there and %s', async (how) => {
    const { budget, exchanges, open, whole } = start();
    const connection = open();
    await connection.feed(post('Content-Length: 100000'));
    await connection.feed(read(60_000));
    await connection.feed(read(40_000));
    expect(budget.left).toBe(whole.left - 100_000 + 65_536);
    const [request, response] = exchanges[0] as [ClientRequest, ClientResponse];
    if (how === 'read') {
      while ((await request.body?.read()) !== null);
    }
    response.send(200, [], 'x', false);
    await eventually(() => budget.left === whole.left);
    await connection.feed(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    await eventually(() => exchanges.length === 2);
    connection.end();
  });

  it('are held to one read where all hold too much', async () => {
    const { budget, exchanges, open } = start();
    budget.left = 0;
    const connection = open();
    await connection.feed(counted);
    for (let pieces = 0; pieces < 10; pieces += 1) await connection.feed(read(65_536));
    await new Promise(setImmediate);
    expect(budget.left).toBe(0);
    // Whoever reads on gets all of it.
    const [{ body }] = exchanges[0] as [ClientRequest, ClientResponse];
    let came = 0;
    while (came < 655_360) came += (await body?.read())?.length ?? 0;
    connection.end();
  });
});

describe('a head that comes in pieces', () => {
  const begun = (octets: number): Buffer => Buffer.from(`GET / HTTP/1.1\r\nA: ${'a'.repeat(octets)}`);
  const end = Buffer.from('\r\n\r\n');

  it('is charged to all beyond the usual length, until it is there or its connection ends', async () => {
    const { budget, exchanges, open, whole } = start();
    const [usual, long, gone] = [open(), open(), open()];
    await usual.feed(begun(10_000));
    expect(budget.leftForHeads).toBe(whole.leftForHeads);
    await long.feed(begun(60_000));
    await gone.feed(begun(60_000));
    expect(budget.leftForHeads).toBeLessThan(whole.leftForHeads - 80_000);
    await long.feed(end);
    gone.end();
    await eventually(() => budget.leftForHeads === whole.leftForHeads);
    expect(exchanges).toHaveLength(1);
  });

  it('is refused beyond the usual length where all hold too much, and is not below', async () => {
    const { budget, exchanges, open } = start();
    budget.leftForHeads = 0;
    const [usual, long] = [open(), open()];
    await usual.feed(begun(10_000));
    await usual.feed(end);
    await long.feed(begun(10_000));
    await long.feed(read(10_000));
    await eventually(() => long.hasEnded);
    expect(long.handler.rejections.map(({ reason }) => reason)).toEqual(['header_too_large']);
    expect(budget.leftForHeads).toBe(0);
    expect(exchanges).toHaveLength(1);
    usual.end();
  });
});
