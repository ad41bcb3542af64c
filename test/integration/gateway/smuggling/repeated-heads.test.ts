import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OctetRecorder, targetOf } from '../../../../fuzz/recorder/octet-recorder.js';
import { type StrictMessage, valuesIn } from '../../../../fuzz/recorder/strict-message.js';
import { CoreClient } from '../../../support/gateway/core-client.js';
import { startInProcess, testConfiguration, testUpstream } from '../../../support/gateway/in-process-gateway.js';
import { requestTricks } from '../../../support/gateway/smuggling/request-tricks.js';
import { CleanUp } from '../../../support/shared/clean-up.js';
import { eventually } from '../../../support/shared/eventually.js';

const cleanUp = new CleanUp();
const recorder = new OctetRecorder();
let port = 0;

beforeAll(async () => {
  const upstreamPort = await recorder.listen();
  cleanUp.add(() => recorder.close());
  const configuration = testConfiguration([testUpstream(upstreamPort)]);
  const gateway = await startInProcess(configuration, { engineLimits: { lingerMs: 50 } });
  cleanUp.add(() => gateway.stop());
  port = gateway.address.port;
});
afterEach(() => {
  recorder.forget();
});
afterAll(() => {
  return cleanUp.run();
});

const open = (): CoreClient => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  cleanUp.add(() => void socket.destroy());
  return new CoreClient(socket);
};

const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)).filter((status) => status >= 200);

/** Sends a request, and waits for its answer. */
const ask = async (client: CoreClient, octets: string): Promise<void> => {
  const before = statusesIn(client.text).length;
  client.send(octets);
  await eventually(() => client.isClosed || statusesIn(client.text).length > before);
};

const complete = (): readonly StrictMessage[] => recorder.requests().filter(({ isComplete }) => isComplete);
const faults = (): readonly string[] => recorder.readings().flatMap(({ fault }) => fault ?? []);

describe('after three requests with the same fields', () => {
  // What tricks have others take for a request ends in these very fields.
  const same = 'GET /same HTTP/1.1\r\nHost: a\r\n\r\n';
  const answered = requestTricks.flatMap(([, tricks]) => tricks).filter(({ statuses }) => statuses !== null);

  it.each(answered)('$name ($source) is handled as on a separate connection', async ({ octets, statuses, out }) => {
    const client = open();
    for (let time = 0; time < 3; time += 1) await ask(client, same);
    client.send(octets);
    await client.closed();
    expect(statusesIn(client.text)).toEqual([200, 200, 200, ...(statuses ?? [])]);
    expect(complete().map(targetOf)).toEqual(['/same', '/same', '/same', ...out]);
    expect(faults()).toEqual([]);
  });
});

/** What goes out for a target, but for what is made for each request. */
const sentFor = (target: string): readonly unknown[] =>
  complete()
    .filter((request) => targetOf(request).endsWith(target))
    .map(({ line, fields, body }) => ({ line, fields: fields.filter(([name]) => name !== 'x-correlation-id'), body }));

describe('requests with equal or similar fields', () => {
  const fields =
    'Host: a\r\nAccept: */*\r\nX-Forwarded-For: 192.0.2.9\r\nCookie: a=b\r\nConnection: X-Own\r\nX-Own: 1\r\n';
  const get = (target: string, lines = fields, version = '1.1'): string =>
    `GET ${target} HTTP/${version}\r\n${lines}\r\n`;
  const messages = [
    get('/a1'),
    get('/a2'),
    get('/a3'),
    get('/a4?b=c'),
    get('http://b/a5'),
    get('/a6', fields.replace('Host: a', 'Host: b')),
    get('/a7', fields.replace('Host: a', 'host: a')),
    get('/a8'),
    get('/c4'),
    get('/a9', fields.replace('Connection: X-Own', 'Connection: Accept')),
    get('/b1', fields.replace('X-Own: 1', 'X-Own: 2')),
    get('/b2', fields.replace('a=b', 'a=\xff')),
    `POST /b3 HTTP/1.1\r\n${fields}Content-Length: 4\r\n\r\nGET `,
    `POST /b4 HTTP/1.1\r\n${fields}Transfer-Encoding: chunked\r\n\r\n4\r\nGET \r\n0\r\n\r\n`,
    `POST /b5 HTTP/1.1\r\n${fields}\r\n`,
    `\r\n${get('/b6')}`,
    get('/b7', `X-Correlation-Id: sent\r\n${fields}`),
    get('/b8', `X-Correlation-Id: sent\r\n${fields}`),
    get('/b9', `X-Correlation-Id: sent\r\n${fields}`),
    get('/c1', `X-Correlation-Id: next\r\n${fields}`),
    get('/c2'),
    get('/c5'),
    get('/c6'),
    get('/c3', fields, '1.0'),
  ];
  const targets = messages.map((message) => (message.match(/\/[a-c]\d/) ?? [''])[0]);

  it('are forwarded as from separate connections', async () => {
    for (const message of messages) {
      const client = open();
      await ask(client, message);
      client.socket.destroy();
    }
    const alone = targets.map((target) => sentFor(target.replace('/a4', '/a4?b=c')));
    expect(alone.map((sent) => sent.length)).toEqual(targets.map(() => 1));
    recorder.forget();

    const client = open();
    for (const message of messages) await ask(client, message);
    expect(statusesIn(client.text)).toEqual(targets.map(() => 200));
    expect(targets.map((target) => sentFor(target.replace('/a4', '/a4?b=c')))).toEqual(alone);
    expect(faults()).toEqual([]);
    const ids = complete().flatMap((request) => valuesIn(request.fields, 'x-correlation-id'));
    expect(ids).toHaveLength(messages.length);
    // Three were sent with the same one.
    expect(new Set(ids).size).toBe(messages.length - 2);
  });

  it.each([
    [
      'a length',
      'Content-Length: 33',
      'GET /smuggled HTTP/1.1\r\nHost: a\r\n',
      'GET /smuggled HTTP/1.1\r\nHost: a\r\n',
    ],
    ['a coding', 'Transfer-Encoding: chunked', '4\r\nGET \r\n0\r\n\r\n', 'GET '],
  ])('each have their body, framed by %s', async (_, framing, sent, body) => {
    const client = open();
    const rounds = 5;
    for (let round = 0; round < rounds; round += 1) {
      client.send(`POST /p${round} HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`);
      await new Promise((resolve) => setImmediate(resolve));
      await ask(client, sent);
    }
    expect(statusesIn(client.text)).toEqual(Array(rounds).fill(200));
    expect(complete().map((request) => [targetOf(request), request.body])).toEqual(
      Array.from({ length: rounds }, (_, round) => [`/p${round}`, body]),
    );
    expect(faults()).toEqual([]);
  });

  it('are each forwarded with the fields of their own connection', async () => {
    const clients = ['a', 'b', 'c'].map((name) => ({ name, client: open() }));
    const rounds = 6;
    for (let round = 0; round < rounds; round += 1) {
      const asked = clients.map(({ name, client }) =>
        ask(client, `GET /${name}${round} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${name}\r\nX-Own: 1\r\n\r\n`),
      );
      await Promise.all(asked);
    }
    expect(complete()).toHaveLength(clients.length * rounds);
    for (const request of complete()) {
      const name = targetOf(request).charAt(1);
      expect(valuesIn(request.fields, 'authorization')).toEqual([`Bearer ${name}`]);
    }
    for (const { name, client } of clients) expect(client.text).not.toMatch(new RegExp(`for /[^${name}]`));
    expect(faults()).toEqual([]);
  });
});
