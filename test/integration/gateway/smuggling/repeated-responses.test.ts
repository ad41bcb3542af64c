import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StrictResponse } from '../../../../fuzz/recorder/strict-message.js';
import { strictResponses } from '../../../../fuzz/recorder/strict-reading.js';
import { CoreClient } from '../../../support/gateway/core-client.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../../support/gateway/in-process-gateway.js';
import { type RawUpstream, startRawUpstream } from '../../../support/gateway/raw-upstream.js';
import { CleanUp } from '../../../support/shared/clean-up.js';
import { eventually } from '../../../support/shared/eventually.js';

const date = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n';

/** A response of the upstream. All heads without another line are of one length. */
const saying = (body: string, { status = 200, version = 'a1', lines = '', length = 6 } = {}): string =>
  `HTTP/1.1 ${status} X\r\n${date}X-Version: ${version}\r\n${lines}Content-Length: ${length}\r\n\r\n${body}`;

/** What a client asks for, and what the upstream says to it. */
interface Asked {
  readonly method: 'GET' | 'HEAD';
  readonly said: string;
}

const get = (said: string): Asked => ({ method: 'GET', said });
const head = (said: string): Asked => ({ method: 'HEAD', said });

const repeated = (
  count: number,
  made: (index: number) => readonly [Asked, Asked],
): readonly (readonly [Asked, Asked])[] => Array.from({ length: count }, (_, index) => made(index));

/**
 * For two clients at a time, which are answered in any order. Bodies that are framed alike differ, so that each is
 * known by its own.
 */
const stages: Readonly<Record<string, readonly (readonly [Asked, Asked])[]>> = {
  'the same head': repeated(8, (index) => [get(saying(`one-${index}-`)), get(saying(`two-${index}-`))]),
  'another value of the same length': [
    [get(saying('one-b1', { version: 'b1' })), get(saying('two-a1'))],
    [get(saying('one-a1')), get(saying('two-b1', { version: 'b1' }))],
    ...repeated(4, (index) => [
      get(saying(`one-${index}-`, { version: 'b2' })),
      get(saying(`two-${index}-`, { version: 'b2' })),
    ]),
  ],
  'values that come and go, and one that stays': repeated(8, (index) => [
    get(saying(`one-${index}-`, { version: `b${index}` })),
    get(saying(`two-${index}-`)),
  ]),
  'two values in turn': [
    ...repeated(6, (index) => [
      get(saying(`one-${index}-`, { version: index % 2 === 0 ? 'b1' : 'a1' })),
      get(saying(`two-${index}-`, { version: index % 2 === 0 ? 'a1' : 'b1' })),
    ]),
    ...repeated(6, (index) => [
      get(saying(`one+${index}-`, { version: 'b1' })),
      get(saying(`two+${index}-`, { version: index < 4 ? 'b1' : 'a1' })),
    ]),
  ],
  'another Content-Length': [
    [get(saying('longer by 3', { length: 11 })), get(saying('two---'))],
    [get(saying('one-3', { length: 5 })), get(saying('two-is-9-', { length: 9 }))],
    [get(saying('', { length: 0 })), get(saying('t', { length: 1 }))],
    ...repeated(6, (index) => [get(saying(`one-${index}-`)), get(saying(`two-is-${index}-`, { length: 9 }))]),
    ...repeated(3, (index) => [
      get(saying(`one-is-${index}-`, { length: 9 })),
      get(saying(`two-is+${index}-`, { length: 9 })),
    ]),
  ],
  'what is for one client': [
    ...repeated(8, (index) => [
      get(saying(`one-${index}-`, { lines: 'Set-Cookie: user=a\r\n' })),
      get(saying(`two-${index}-`, { lines: 'X-No-Cookie: at-b1\r\n' })),
    ]),
    ...repeated(3, (index) => [
      get(saying(`one-${index}-`, { lines: 'Set-Cookie: user=a\r\n' })),
      get(saying(`two-${index}-`)),
    ]),
  ],
  'HEAD and GET': [
    ...repeated(3, (index) => [get(saying(`one-${index}-`)), get(saying(`two-${index}-`))]),
    ...repeated(3, (index) => [head(saying('')), get(saying(`two-${index}-`))]),
    ...repeated(3, (index) => [get(saying(`one-${index}-`)), head(saying(''))]),
    ...repeated(2, () => [head(saying('')), head(saying(''))]),
  ],
  '304, 204 and 200': [
    ...repeated(4, (index) => [get(saying('', { status: 304 })), get(saying(`two-${index}-`))]),
    ...repeated(3, () => [get(saying('', { status: 304 })), get(saying('', { status: 304 }))]),
    ...repeated(4, (index) => [get(saying(`one-${index}-`)), get(saying('', { status: 204 }))]),
    ...repeated(3, () => [get(saying('', { status: 204 })), get(saying('', { status: 204 }))]),
    ...repeated(3, (index) => [get(saying(`one-${index}-`)), get(saying(`two-${index}-`))]),
  ],
};

describe('a repeated response head of a target', () => {
  const cleanUp = new CleanUp();
  let upstream: RawUpstream;
  let gateway: InProcessGateway;
  /** By target of the request. */
  const answers = new Map<string, string>();
  /** Requests that have no answer yet. */
  let open: { readonly socket: Socket; readonly said: string }[] = [];
  /** Requests that are answered together: each then has a connection of its own. */
  let together = 1;

  beforeEach(async () => {
    open = [];
    together = 1;
    upstream = await startRawUpstream((socket, text) => {
      open.push({ socket, said: answers.get(text.split(' ')[1] ?? '') ?? saying('never!') });
      if (open.length < together) return;
      for (const { socket, said } of open) socket.write(said, 'latin1');
      open = [];
    });
    const configuration = testConfiguration([testUpstream(upstream.port)]);
    gateway = await startInProcess(configuration);
  });
  afterEach(async () => {
    await cleanUp.run();
    await gateway.stop();
    await upstream.close();
  });

  const client = (): CoreClient => {
    const socket = connect({ host: '127.0.0.1', port: gateway.address.port, noDelay: true });
    cleanUp.add(() => void socket.destroy());
    return new CoreClient(socket);
  };

  /** A client, and what it has asked for. */
  class Asking {
    readonly #client = client();
    readonly #name: string;
    readonly asked: Asked[] = [];

    constructor(name: string) {
      this.#name = name;
    }

    /** What it has got, as far as that is complete. */
    get responses(): readonly StrictResponse[] {
      const methods = this.asked.map(({ method }) => method);
      const { messages, fault, rest } = strictResponses(this.#client.text, methods);
      expect([fault, rest]).toEqual([null, '']);
      return messages.filter(({ isComplete }) => isComplete);
    }

    async ask(asked: Asked): Promise<void> {
      const target = `/${this.#name}/${this.asked.length}`;
      answers.set(target, asked.said);
      this.asked.push(asked);
      this.#client.send(`${asked.method} ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await eventually(() => this.#client.isClosed || this.responses.length === this.asked.length);
    }

    /** What the upstream has said to it. */
    get said(): readonly StrictResponse[] {
      return this.asked.flatMap(({ said, method }) => strictResponses(said, [method]).messages);
    }
  }

  /** What is the same on both sides. */
  const told = ({ status, fields, body }: StrictResponse): unknown => ({
    status,
    body,
    fields: fields.filter(([name]) => name !== 'x-correlation-id' && !(status === 204 && name === 'content-length')),
  });

  it.each(Object.entries(stages))('is correct for each client on two connections: %s', async (_, rounds) => {
    const first = new Asking('first');
    const second = new Asking('second');
    together = 2;
    const ask = async (rounds: readonly (readonly [Asked, Asked])[]): Promise<void> => {
      for (const [one, other] of rounds) await Promise.all([first.ask(one), second.ask(other)]);
    };
    await ask(stages['the same head'] ?? []);
    await ask(rounds);
    for (const client of [first, second]) {
      expect(client.responses.map(told)).toEqual(client.said.map(told));
      expect(client.responses.filter(({ body }) => body === 'never!')).toEqual([]);
    }
    expect(upstream.connections()).toBe(2);
  });

  it('has no Set-Cookie of another client', async () => {
    const first = new Asking('first');
    for (let time = 0; time < 8; time += 1) await first.ask(get(saying('cookie', { lines: 'Set-Cookie: user=a\r\n' })));
    const second = new Asking('second');
    for (let time = 0; time < 4; time += 1)
      await second.ask(get(saying('cookie', { lines: 'Set-Cookie: user=b\r\n' })));
    const values = [first, second].map(({ responses }) =>
      responses.map(({ fields }) => fields.flatMap(([name, value]) => (name === 'set-cookie' ? value : []))),
    );
    expect(values).toEqual([Array(8).fill(['user=a']), Array(4).fill(['user=b'])]);
  });

  it.each([
    ['a whole response', saying('secret')],
    ['an octet', 'x'],
    ['a line end', '\r\n'],
  ])('has surplus octets that reach no client: %s', async (_, behind) => {
    const first = new Asking('first');
    for (let time = 0; time < 5; time += 1) await first.ask(get(saying('first!')));
    expect(upstream.connections()).toBe(1);
    await first.ask(get(saying('first!') + behind));
    const second = new Asking('second');
    await second.ask(get(saying('second')));
    await first.ask(get(saying('first!')));
    expect(first.responses.map(({ body }) => body)).toEqual(Array(7).fill('first!'));
    expect(second.responses.map(({ body }) => body)).toEqual(['second']);
    expect(upstream.connections()).toBe(2);
  });
});
