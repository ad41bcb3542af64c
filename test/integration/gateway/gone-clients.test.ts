import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { testLimits } from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import {
  decide,
  type GatewayWithAgents,
  startGatewayWithAgents,
  wantsMore,
} from '../../support/shared/gateway-with-agents.js';

/** Longer than a test may take: what is noticed only then is not noticed. */
const patient = { name: 'judge', timeoutMs: 600_000 };

const start = async (cleanUp: CleanUp): Promise<GatewayWithAgents> => {
  const upstream = await startRawUpstream((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
  });
  cleanUp.add(() => upstream.close());
  return startGatewayWithAgents(cleanUp, upstream.port, [patient]);
};

const lastRequest = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const blocked = decide({ kind: 'block', status: 403, body: 'blocked', headers: [] });

const post = (declared: number, body: string, fields = ''): string =>
  `POST / HTTP/1.1\r\nHost: a\r\n${fields}Content-Length: ${declared}\r\n\r\n${body}`;

const send = async (cleanUp: CleanUp, { address }: GatewayWithAgents, octets: string): Promise<Socket> => {
  const client = connect({ host: address.host, port: address.port });
  cleanUp.add(async () => void client.destroy());
  client.on('error', () => undefined);
  client.resume();
  client.write(octets, 'latin1');
  return client;
};

const never = new Promise<never>(() => undefined);

/** Never answers an event of this kind. */
const silentAt =
  (kind: AgentEvent['kind']) =>
  (event: AgentEvent): AgentAnswer | Promise<AgentAnswer> => {
    if (event.kind === kind) return never;
    return kind === 'request_body_chunk' && event.kind === 'request_headers' ? wantsMore : allowAnswer;
  };

/** Wants all of each request's body. */
const readsAll = (event: AgentEvent): AgentAnswer =>
  event.kind === 'request_headers' || (event.kind === 'request_body_chunk' && !event.isLast) ? wantsMore : allowAnswer;

const ways = [
  ['the end of its stream', (client: Socket) => void client.end()],
  ['a reset', (client: Socket) => void client.resetAndDestroy()],
] as const;

const long = 'x'.repeat(500_000);
/** Its head, of which nothing comes that could be judged. */
const codedPart = gzipSync('some text').subarray(0, 10).toString('latin1');
const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab';

/** What is sent, what the agent does, and which event it has seen last when the client goes away. */
const situations: readonly [string, string, FakeAgentService['answer'], AgentEvent['kind']][] = [
  ['its body unread', post(300, 'abc'), silentAt('request_headers'), 'request_headers'],
  ['its chunked body unread', chunked, silentAt('request_headers'), 'request_headers'],
  ['none of its body sent', post(300, '', 'Expect: 100-continue\r\n'), silentAt('request_headers'), 'request_headers'],
  ['a long body unread, and incomplete', post(600_000, long), silentAt('request_headers'), 'request_headers'],
  ['a long body unread, and complete', post(500_000, long), silentAt('request_headers'), 'request_headers'],
  ['a chunk being judged', post(300, 'abc'), silentAt('request_body_chunk'), 'request_body_chunk'],
  ['a chunk of a long body being judged', post(600_000, long), silentAt('request_body_chunk'), 'request_body_chunk'],
  ['the next chunk awaited', post(300, 'abc'), readsAll, 'request_body_chunk'],
  ['a coded body awaited', post(300, codedPart, 'Content-Encoding: gzip\r\n'), readsAll, 'request_headers'],
  ['the response being judged', post(300, 'abc'), silentAt('response_headers'), 'response_headers'],
];

describe.each(ways)('a client that disconnects by %s', (_, leave) => {
  it.for(situations)(
    'with %s is noticed at once, and is not an agent failure',
    async ([_name, octets, answer, kind], { cleanUp }) => {
      const gateway = await start(cleanUp);
      const service = gateway.service();
      service.answer = answer;
      const client = await send(cleanUp, gateway, octets);
      await eventually(() => service.events.at(-1)?.kind === kind && client.writableLength === 0);
      leave(client);
      await eventually(() => gateway.accessRecords.length === 1);
      expect(gateway.accessRecords[0]).toMatchObject({ status: 499, errorType: 'client_gone' });
      await eventually(() => service.cancels.length === 1);
      expect(service.cancels).toMatchObject([{ reason: 'client_disconnect' }]);
      service.answer = () => allowAnswer;
      expect((await rawExchange(gateway.address, lastRequest)).status).toBe(200);
      expect(service.cancels).toHaveLength(1);
      expect(await gateway.metrics()).not.toMatch(/^gateway_agent_(failures|timeouts)_total\{.*\} [1-9]/m);
    },
  );
});

describe('a client that half-closes its stream', () => {
  it('after an early response gets the complete response', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    // More than the two sockets hold: some of it is still to be written when the end comes.
    const body = 'no'.repeat(10_000_000);
    gateway.service().answer = () => decide({ kind: 'block', status: 403, body, headers: [] });
    const client = await send(cleanUp, gateway, post(300, 'abc'));
    const pieces: Buffer[] = [];
    client.on('data', (piece: Buffer) => pieces.push(piece));
    await once(client, 'data');
    client.pause();
    client.end(() => client.resume());
    await once(client, 'close');
    expect(Buffer.concat(pieces).toString().endsWith(`\r\n\r\n${body}`)).toBe(true);
    expect(gateway.accessRecords).toMatchObject([{ status: 403, errorType: 'blocked_by_agent' }]);
  });
});

describe('a long unread body while an agent decides', () => {
  const octets = 20_000_000;

  it('is forwarded completely', async ({ cleanUp }) => {
    let received = 0;
    const upstream = await startHttpUpstream((request, response) => {
      request.on('data', (piece: Buffer) => {
        received += piece.length;
      });
      request.on('end', () => response.end('done'));
    });
    cleanUp.add(() => upstream.close());
    const limits = { ...testLimits, maxBodySizeBytes: octets };
    const gateway = await startGatewayWithAgents(cleanUp, upstream.port, [patient], { limits });
    let allow!: (answer: AgentAnswer) => void;
    gateway.service().answer = (event) =>
      event.kind === 'request_headers' ? new Promise((resolve) => (allow = resolve)) : allowAnswer;
    const client = await send(cleanUp, gateway, `${post(octets, '').replace('Host', 'Connection: close\r\nHost')}`);
    const text: string[] = [];
    client.on('data', (piece: Buffer) => text.push(piece.toString()));
    const body = Buffer.alloc(octets, 'x');
    client.write(body);
    await eventually(() => gateway.service().events.length === 1);
    allow(allowAnswer);
    await once(client, 'close');
    expect(text.join('')).toMatch(/done\r\n0\r\n\r\n$|done$/);
    expect(received).toBe(octets);
  });
});

describe('a connection', () => {
  const readsHead = (event: AgentEvent): AgentAnswer => (event.kind === 'request_headers' ? wantsMore : blocked);

  it.for([
    ['was read in part', 'request_body_chunk', readsHead],
    ['was not read at all', 'request_headers', () => blocked],
  ] as const)('serves the next request after a complete body that %s', async ([_, last, answer], { cleanUp }) => {
    const gateway = await start(cleanUp);
    const service = gateway.service();
    let release: (answer: AgentAnswer) => void = () => undefined;
    service.answer = (event) => {
      const given = answer(event);
      return given === blocked ? new Promise((resolve) => (release = resolve)) : given;
    };
    const client = await send(cleanUp, gateway, post(40_000, 'x'.repeat(40_000)));
    const text: string[] = [];
    client.on('data', (piece: Buffer) => text.push(piece.toString()));
    // Small enough to come in one piece, and too large to be read unasked.
    await eventually(() => service.events.at(-1)?.kind === last);
    release(blocked);
    await eventually(() => text.join('').includes('blocked'));
    expect(text.join('')).not.toMatch(/^connection: close/im);
    service.answer = () => allowAnswer;
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => text.join('').endsWith('hello'));
  });
});
