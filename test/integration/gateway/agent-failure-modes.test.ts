import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type {
  AgentConfiguration,
  LimitsConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { type Echo, echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { type AgentGateway, type ShapedAgentService, startAgentGateway } from '../../support/shared/agent-gateway.js';

let upstream: HttpUpstream;
let started: AgentGateway | null = null;
let reached: number;

beforeEach(async () => {
  reached = 0;
  upstream = await startHttpUpstream((request, response) => {
    reached += 1;
    echo(request, response);
  });
});

afterEach(async () => {
  await started?.gateway.stop();
  await upstream.close();
  started = null;
});

const wantsMore: AgentAnswer = { ...allowAnswer, needsMore: true };
const readsAll = (event: AgentEvent): AgentAnswer =>
  event.kind === 'request_body_chunk' && event.isLast ? allowAnswer : wantsMore;

const start = async (
  agents: Readonly<Record<string, Partial<AgentConfiguration>>>,
  limits: Partial<LimitsConfiguration> = {},
): Promise<(name: string) => ShapedAgentService> => {
  started = await startAgentGateway(upstream.port, agents, limits);
  return (name) => started?.service(name) as ShapedAgentService;
};

const url = (): string => started?.gateway.url ?? '';

const valuesOf = ({ rawHeaders }: Echo, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

const counted = async (name: string): Promise<string | undefined> =>
  (await started?.gateway.metrics())?.split('\n').find((line) => line.startsWith(`${name}{`));

const failures: [string, (event: AgentEvent) => AgentAnswer | Promise<AgentAnswer>][] = [
  ['fails', () => Promise.reject(new Error('broken'))],
  ['gives no valid answer', () => ({ ...allowAnswer, requestHeaders: [{ kind: 'set', name: 'X Y', value: '1' }] })],
  ['is too slow', () => new Promise(() => undefined)],
  ['asks for more than there is', () => wantsMore],
];

const silence = (): Promise<AgentAnswer> => new Promise(() => undefined);

describe('an agent with failure mode open', () => {
  it('that does not answer is skipped, logged and counted', async () => {
    const service = await start({ auth: { failureMode: 'open', timeoutMs: 100 } });
    service('auth').answer = silence;
    const response = await fetch(url(), { method: 'POST', body: 'the body', headers: { 'X-User-Id': 'mallory' } });
    expect(response.status).toBe(200);
    const echoed = (await response.json()) as Echo;
    expect(echoed.body).toBe('the body');
    expect(valuesOf(echoed, 'x-user-id')).toEqual([]);
    expect(valuesOf(echoed, 'content-length')).toEqual(['8']);
    const [line] = started?.gateway.logger.lines.filter(({ level }) => level === 'warn') ?? [];
    expect(line?.fields).toMatchObject({ agent: 'auth', route: 'all', reason: expect.any(String) });
    expect(await counted('gateway_agent_failed_open_total')).toMatch(/agent="auth".* 1$/);
  });

  it('that fails within a body leaves the body unchanged', async () => {
    const service = await start({ auth: { failureMode: 'open', timeoutMs: 100 } }, { maxBodyInspectionBytes: 500_000 });
    service('auth').answer = (event) => {
      if (event.kind === 'request_headers') {
        return {
          ...wantsMore,
          requestHeaders: [{ kind: 'set', name: 'X-Half', value: '1' }],
          responseHeaders: [{ kind: 'set', name: 'X-Half', value: '1' }],
        };
      }
      if (event.kind !== 'request_body_chunk') return allowAnswer;
      if (event.chunkIndex > 0) return silence();
      return { ...wantsMore, requestBodyMutation: { chunkIndex: 0, data: Buffer.from('changed') } };
    };
    const body = 'a piece of the body '.repeat(20_000);
    const response = await fetch(url(), { method: 'POST', body });
    const echoed = (await response.json()) as Echo;
    expect(echoed.body === body).toBe(true);
    expect(valuesOf(echoed, 'x-half')).toEqual([]);
    expect(response.headers.get('x-half')).toBeNull();
    const coded = gzipSync(body);
    const answer = await fetch(url(), { method: 'POST', body: coded, headers: { 'Content-Encoding': 'gzip' } });
    const again = (await answer.json()) as Echo;
    expect(valuesOf(again, 'content-encoding')).toEqual(['gzip']);
    expect(valuesOf(again, 'content-length')).toEqual([`${coded.length}`]);
  });

  it('does not prevent later agents', async () => {
    const service = await start({ first: { failureMode: 'open', timeoutMs: 100 }, second: {} });
    service('first').answer = silence;
    service('second').answer = () => ({
      ...allowAnswer,
      decision: { kind: 'block', status: 403, body: null, headers: [] },
    });
    expect((await fetch(url())).status).toBe(403);
    expect(reached).toBe(0);
  });

  it.each([
    ['a body over the limit', 413, 'x'.repeat(101), {}],
    ['a body in an unknown coding', 415, 'x', { 'Content-Encoding': 'zstd' }],
    ['a body that is not what its coding says', 400, 'x', { 'Content-Encoding': 'gzip' }],
  ])('does not pass %s', async (_, status, body, headers) => {
    const service = await start({ auth: { failureMode: 'open' } }, { maxBodyInspectionBytes: 100 });
    service('auth').answer = readsAll;
    expect((await fetch(url(), { method: 'POST', body, headers } as RequestInit)).status).toBe(status);
    expect(reached).toBe(0);
  });

  it('still has its call cancelled by a client disconnect, and nothing is forwarded', async () => {
    const service = await start({ auth: { failureMode: 'open', timeoutMs: 10_000 } });
    service('auth').answer = () => new Promise(() => undefined);
    const abort = new AbortController();
    const asked = fetch(url(), { signal: abort.signal }).catch(() => 'gone');
    await service('auth').received(1);
    abort.abort();
    expect(await asked).toBe('gone');
    await expect.poll(() => service('auth').cancels).toMatchObject([{ reason: 'client_disconnect' }]);
    await expect.poll(() => started?.gateway.accessRecords.length).toBe(1);
    expect(reached).toBe(0);
  });
});

describe('an agent with failure mode closed', () => {
  it.each(failures)('that %s passes nothing', async (_, answer) => {
    const service = await start({ auth: { failureMode: 'closed', timeoutMs: 100 } });
    service('auth').answer = answer;
    const response = await fetch(url(), { method: 'POST', body: 'the body' });
    expect([503, 504]).toContain(response.status);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('"auth"') });
    expect(reached).toBe(0);
    expect(await counted('gateway_agent_failed_open_total')).not.toMatch(/ 1$/);
  });
});

describe('the agents of a route', () => {
  it('without a subscription to request_headers get no requests', async () => {
    const service = await start({ silent: { events: ['request_complete'] }, auth: {} });
    service('silent').answer = () => ({
      ...allowAnswer,
      decision: { kind: 'block', status: 403, body: null, headers: [] },
    });
    expect((await fetch(url())).status).toBe(200);
    expect(service('silent').events.filter(({ kind }) => kind === 'request_headers')).toEqual([]);
    expect(service('auth').events).toHaveLength(1);
  });

  it('lose no response header operation above the common limit', async () => {
    const service = await start({ first: {}, second: {} });
    const operations = new Array(1_023).fill({ kind: 'set', name: 'X', value: '1' });
    for (const name of ['first', 'second']) {
      const responseHeaders = [...operations, { kind: 'set', name: `X-${name}`, value: '1' }];
      service(name).answer = () => ({ ...allowAnswer, responseHeaders });
    }
    const { headers } = await fetch(url());
    expect([headers.get('x'), headers.get('x-first'), headers.get('x-second')]).toEqual(['1', '1', '1']);
  });
});
