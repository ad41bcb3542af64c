import { Agent, get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultyUpstream, faultyBodyBytes } from '../../support/gateway/faulty-upstream.js';
import { eventually } from '../../support/shared/eventually.js';

let upstream: FaultyUpstream;
let agent: Agent;

beforeEach(async () => {
  upstream = new FaultyUpstream('one', { octetMs: 1 });
  agent = new Agent({ keepAlive: true });
  await upstream.start();
});
afterEach(async () => {
  agent.destroy();
  await upstream.stop();
});

const answered = (by: Agent | false = agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: upstream.port, agent: by }, resolve).on('error', reject);
  });

/** Not by a connection that stands already: what came of that need not have been heard of yet. */
const refusal = (): Promise<unknown> => answered(false).catch((error: NodeJS.ErrnoException) => error.code);

interface Heard {
  readonly status: number;
  readonly pieces: number;
  readonly body: string;
  /** The code of what broke the answer off; null: it came whole. */
  readonly broken: string | null;
}

const heard = async (): Promise<Heard> => {
  const response = await answered();
  const pieces: string[] = [];
  let broken: string | null = null;
  try {
    for await (const piece of response) pieces.push(String(piece));
  } catch (error) {
    broken = (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
  return { status: response.statusCode ?? 0, pieces: pieces.length, body: pieces.join(''), broken };
};

const whole = 'one'.padEnd(faultyBodyBytes, '.');

describe('the faulty upstream', () => {
  it('answers with its name while healthy, and keeps the connection', async () => {
    expect(await heard()).toMatchObject({ status: 200, body: whole, broken: null });
    expect(await heard()).toMatchObject({ status: 200, body: whole });
    expect([upstream.requests, upstream.connections]).toEqual([2, 1]);
  });

  it('reports every request, and answers after the given delay', async () => {
    const paths: (string | undefined)[] = [];
    const slow = new FaultyUpstream('two', { answerMs: 5, heard: ({ url }) => void paths.push(url) });
    await slow.start();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: '127.0.0.1', port: slow.port, path: '/seven', agent: false }, resolve).on('error', reject);
    });
    answer.resume();
    expect([answer.statusCode, ...paths]).toEqual([200, '/seven']);
    await slow.stop();
  });

  it('resets instead of a response', async () => {
    upstream.become('resetting');
    await expect(answered()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(upstream.requests).toBe(1);
  });

  it('answers with 500 while it fails', async () => {
    upstream.become('failing');
    expect(await heard()).toMatchObject({ status: 500, broken: null });
    upstream.become('well');
    expect(await heard()).toMatchObject({ status: 200 });
  });

  it('resets within the body in mode cut', async () => {
    upstream.become('cutting');
    expect(await heard()).toMatchObject({
      status: 200,
      body: whole.slice(0, faultyBodyBytes / 2),
      broken: 'ECONNRESET',
    });
  });

  it('sends octets one by one in mode slow', async () => {
    upstream.become('slow');
    const { pieces, body } = await heard();
    expect(body).toBe(whole);
    expect(pieces).toBeGreaterThan(faultyBodyBytes / 8);
  });

  it('accepts requests silently in mode silent', async () => {
    upstream.become('silent');
    const outcome = answered().catch((error: NodeJS.ErrnoException) => error.code);
    await eventually(() => upstream.requests === 1);
    await upstream.kill();
    expect(await outcome).toBe('ECONNRESET');
    expect(upstream.connections).toBe(0);
  });

  it('is unreachable once killed, and returns on its port', async () => {
    await heard();
    const { port } = upstream;
    await upstream.kill();
    expect(await refusal()).toBe('ECONNREFUSED');
    agent.destroy();
    await upstream.start();
    expect(upstream.port).toBe(port);
    expect(await heard()).toMatchObject({ status: 200 });
  });

  it('finishes its responses when it begins to refuse, and accepts nothing new', async () => {
    await heard();
    upstream.become('slow');
    const slow = heard();
    await eventually(() => upstream.requests === 2);
    const refused = upstream.refuse();
    expect(await slow).toMatchObject({ body: whole, broken: null });
    await refused;
    expect(upstream.connections).toBe(0);
    expect(await refusal()).toBe('ECONNREFUSED');
  });
});
