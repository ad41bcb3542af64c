import { describe, expect, it } from 'vitest';
import { BufferedBody, ChunkBuffer } from '../../../../../../src/application/gateway/proxy-request/buffered-body.js';
import { RetryAllowance } from '../../../../../../src/application/gateway/proxy-request/forwarding-rules.js';
import type { RequestTrace } from '../../../../../../src/application/gateway/trace/request-tracing.js';
import type { Tunnel } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import type { UpstreamRequest } from '../../../../../../src/application/ports/gateway/upstream-client.js';
import { bodyOctets, ScriptedBody } from '../../../../../support/gateway/scripted-body.js';
import {
  answered,
  evicted,
  failed,
  ScriptedTargets,
  type TargetScript,
} from '../../../../../support/gateway/scripted-targets.js';
import {
  breakerOfRoute,
  recordedExchange,
  sendingStage,
  upstreamCount,
} from '../../../../../support/gateway/sending-stage.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { settled } from '../../../../../support/shared/manual-scheduler.js';

const never: TargetScript = () => new Promise(() => undefined);
const good: TargetScript = () => answered(200, ['fine']);
const gone: TargetScript = () => failed('unreachable');
const neverThere: TargetScript = () => failed('unreachable', true);
/** Reads a part of the body, then fails. */
const failingAfter =
  (reads: number): TargetScript =>
  async ({ body }) => {
    for (let turn = 0; turn < reads; turn += 1) await body?.read();
    return failed('unreachable');
  };
/** Answers with the request body. */
const echoing: TargetScript = async ({ body }: UpstreamRequest) => answered(200, [(await bodyOctets(body)).toString()]);

const run = async (targets: ScriptedTargets, changes: Parameters<typeof sendingStage>[1] = {}, method = 'GET') => {
  const parts = sendingStage(targets, changes);
  const { exchange, response } = recordedExchange({ method });
  expect(await parts.stage(exchange)).toBe('ended');
  return { ...parts, exchange, response };
};

describe('a response', () => {
  it("reaches the client with the balancer's fields, and its target learns of its head and its end", async () => {
    const targets = new ScriptedTargets({ a: good });
    const { exchange, response } = await run(targets);
    expect([response.status, response.text, response.state]).toEqual([200, 'fine', 'ended']);
    expect(response.field('set-cookie')).toBe('at=a');
    expect([exchange.attempts.address, exchange.attempts.count]).toEqual(['a', 1]);
    expect(targets.told).toEqual(['a: answered', 'a: success']);
    expect(targets.wishes).toEqual([{ clientIp: '127.0.0.1', headers: [], isSecure: false, tried: [] }]);
  });

  it.each([500, 502, 503, 504])(
    'with status %i is relayed without a retry, but counts as a failure',
    async (status) => {
      const targets = new ScriptedTargets({ a: () => answered(status, ['broken']), b: good });
      const { response, metrics } = await run(targets);
      expect([response.status, response.text, targets.sent]).toEqual([status, 'broken', ['a']]);
      expect([targets.told, targets.details]).toEqual([['a: failure'], [`status ${status}`]]);
      expect(await upstreamCount(metrics, 'gateway_upstream_failures_total')).toBe(0);
    },
  );

  it("that is interrupted aborts the client's response and counts as a failure", async () => {
    const targets = new ScriptedTargets({ a: () => answered(200, ['half', null]), b: good });
    const { response, exchange, metrics } = await run(targets);
    expect([response.text, response.state, exchange.outcome.errorType]).toEqual([
      'half',
      'cut',
      'upstream_unreachable',
    ]);
    expect(targets.told).toEqual(['a: answered', 'a: failure']);
    expect([targets.sent, targets.cancelled]).toEqual([['a'], 1]);
    expect(await upstreamCount(metrics, 'gateway_upstream_failures_total')).toBe(1);
  });

  it('that is interrupted while it is held becomes a 502', async () => {
    const targets = new ScriptedTargets({ a: () => answered(200, ['half', null]) });
    const { response } = await run(targets, { maxBufferedResponseOctets: 100 });
    expect([response.status, response.problem, response.state]).toEqual([502, 'upstream_unreachable', 'ended']);
    expect(targets.told.at(-1)).toBe('a: failure');
  });

  it('that is held completely frees its target before the client reads it', async () => {
    const targets = new ScriptedTargets({ a: good });
    const { stage } = sendingStage(targets, { maxBufferedResponseOctets: 100 });
    const { exchange, response } = recordedExchange();
    let toldBefore = -1;
    response.begin = () => {
      toldBefore = targets.told.length;
    };
    await stage(exchange);
    expect([toldBefore, targets.told]).toEqual([2, ['a: answered', 'a: success']]);
  });

  it('for a client that is gone does not count for its target, and is not awaited', async () => {
    const targets = new ScriptedTargets({ a: never, b: good });
    const { stage } = sendingStage(targets);
    const { exchange, response } = recordedExchange();
    const outcome = stage(exchange);
    exchange.abandon();
    expect(await outcome).toBe('ended');
    expect([targets.told, targets.sent, response.status]).toEqual([['a: neither'], ['a'], 0]);
  });

  it('that the client abandons does not count for its target, unless its status is a failure', async () => {
    for (const [status, told] of [
      [200, ['a: answered', 'a: neither']],
      [500, ['a: failure']],
    ] as const) {
      const targets = new ScriptedTargets({ a: () => answered(status, ['one', 'two']) });
      const { stage } = sendingStage(targets);
      const { exchange, response } = recordedExchange();
      response.write = () => void exchange.abandon();
      await stage(exchange);
      expect([targets.told, response.state]).toEqual([told, 'open']);
    }
  });

  it('to an upgrade ends with its tunnel', async () => {
    let end: () => void = () => undefined;
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    const tunnel: Tunnel = {
      iterator: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => isOver.then(() => ({ done: true, value: undefined })) }),
      }),
      write: (_, done) => done(),
      end: () => undefined,
      destroy: () => undefined,
      closed: false,
      once: () => undefined,
    };
    const targets = new ScriptedTargets({ a: () => answered(101, [], { body: null, tunnel }) });
    const { stage } = sendingStage(targets);
    const { exchange, response } = recordedExchange();
    response.tunnel = tunnel;
    expect(await stage(exchange)).toBe('ended');
    await settled();
    expect([response.status, targets.told]).toEqual([101, ['a: answered']]);
    end();
    await settled();
    expect(targets.told).toEqual(['a: answered', 'a: success']);
  });
});

describe('a failure', () => {
  it('retries an idempotent request on another target, and is counted', async () => {
    const targets = new ScriptedTargets({ a: gone, b: gone, c: good });
    const { response, exchange, metrics } = await run(targets);
    expect([response.status, targets.sent, exchange.attempts.address, exchange.attempts.count]).toEqual([
      200,
      ['a', 'b', 'c'],
      'c',
      3,
    ]);
    expect(targets.told).toEqual(['a: failure', 'b: failure', 'c: answered', 'c: success']);
    expect(response.field('set-cookie')).toBe('at=c');
    expect(targets.wishes.map(({ tried }) => tried)).toEqual([[], ['a'], ['a', 'b']]);
    expect(await upstreamCount(metrics, 'gateway_upstream_attempts_total')).toBe(3);
    expect(await upstreamCount(metrics, 'gateway_upstream_retries_total')).toBe(2);
    expect(await upstreamCount(metrics, 'gateway_upstream_failures_total')).toBe(2);
  });

  it('of a POST is not retried unless nothing of it was sent', async () => {
    const sent = new ScriptedTargets({ a: gone, b: good });
    expect((await run(sent, {}, 'POST')).response.status).toBe(502);
    expect(sent.sent).toEqual(['a']);
    const unsent = new ScriptedTargets({ a: neverThere, b: good });
    expect((await run(unsent, {}, 'POST')).response.status).toBe(200);
    expect(unsent.sent).toEqual(['a', 'b']);
  });

  it('of the last attempt determines the response', async () => {
    const targets = new ScriptedTargets({ a: gone, b: () => failed('timed_out'), c: good });
    const { response, logger } = await run(targets, { retries: { maxAttempts: 2, budgetPercent: 20 } });
    expect([response.status, response.problem, targets.sent]).toEqual([504, 'upstream_timeout', ['a', 'b']]);
    expect(logger.lines.at(-1)?.fields).toMatchObject({ upstream: 'api', target: 'b', cause: 'it is timed_out' });
  });

  it('determines the response if there is no other target', async () => {
    const two = new ScriptedTargets({ a: gone, b: () => failed('invalid_response') });
    expect((await run(two)).response.problem).toBe('upstream_invalid_response');
    expect(two.sent).toEqual(['a', 'b']);
  });

  it('because of a full queue does not count for the target, and is retried on another', async () => {
    const full: TargetScript = () => failed('overloaded', true);
    const targets = new ScriptedTargets({ a: full, b: good });
    expect((await run(targets, {}, 'POST')).response.status).toBe(200);
    expect(targets.told[0]).toBe('a: neither');
    const { response } = await run(new ScriptedTargets({ a: full }));
    expect([response.status, response.problem, response.field('retry-after')]).toEqual([
      503,
      'upstream_overloaded',
      '1',
    ]);
  });

  it('of the only target counts no refused retry, because there is no other target', async () => {
    const { metrics } = await run(new ScriptedTargets({ a: gone }), { allowance: new RetryAllowance(0) });
    expect(await upstreamCount(metrics, 'gateway_upstream_retries_refused_total')).toBe(0);
  });

  it('determines the response if the retry budget is empty, and counts a refused retry', async () => {
    const targets = new ScriptedTargets({ a: gone, b: good });
    const allowance = new RetryAllowance(0);
    const { response, metrics } = await run(targets, { allowance });
    expect([response.status, targets.sent]).toEqual([502, ['a']]);
    expect(await upstreamCount(metrics, 'gateway_upstream_retries_refused_total')).toBe(1);
  });

  it('determines the response after the timeout, which the attempts share with the queue', async () => {
    const clock = new ManualClock();
    const slow: TargetScript = () => {
      clock.advance(300);
      return failed('timed_out');
    };
    const targets = new ScriptedTargets({ a: slow, b: slow, c: good });
    const { stage } = sendingStage(targets, { clock, timeoutMs: 700 });
    const { exchange, response } = recordedExchange();
    exchange.queuedMs = 100;
    await stage(exchange);
    expect([response.status, targets.sent]).toEqual([504, ['a', 'b']]);
    expect(targets.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([600, 300]);
    expect(targets.requests.map(({ configuredTimeoutMs }) => configuredTimeoutMs)).toEqual([700, 700]);
  });

  it('of a request whose client is gone is not retried', async () => {
    const { exchange } = recordedExchange();
    const leaving: TargetScript = () => {
      exchange.abandon();
      return failed('unreachable');
    };
    const targets = new ScriptedTargets({ a: leaving, b: good });
    await sendingStage(targets).stage(exchange);
    expect(targets.sent).toEqual(['a']);
  });

  it('of the gateway itself is not retried and does not count for the target', async () => {
    const targets = new ScriptedTargets({ a: () => failed('refused_request', true), b: good });
    const { response, logger } = await run(targets);
    expect([response.status, response.problem, targets.told]).toEqual([500, 'internal_error', ['a: neither']]);
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { cause: 'it is refused_request' } }]);
  });
});

describe('a request that is evicted because its target was drained', () => {
  const out: TargetScript = () => evicted;

  it('goes to another target with any method, even without attempts or retries left', async () => {
    const targets = new ScriptedTargets({ a: out, b: out, c: good });
    const changes = { retries: { maxAttempts: 1, budgetPercent: 0 }, allowance: new RetryAllowance(0) };
    const { response, metrics, exchange } = await run(targets, changes, 'POST');
    expect([response.status, targets.sent]).toEqual([200, ['a', 'b', 'c']]);
    expect(exchange.attempts.count).toBe(1);
    expect(await upstreamCount(metrics, 'gateway_upstream_attempts_total')).toBe(1);
    expect(await upstreamCount(metrics, 'gateway_upstream_failures_total')).toBe(0);
    expect(targets.told).toEqual(['a: neither', 'b: neither', 'c: answered', 'c: success']);
    expect(await upstreamCount(metrics, 'gateway_upstream_retries_total')).toBe(0);
    expect(await upstreamCount(metrics, 'gateway_upstream_retries_refused_total')).toBe(0);
  });

  it('goes to the target that replaced the only one', async () => {
    const targets = new ScriptedTargets({ a: out, b: good });
    Object.defineProperty(targets, 'hasChoice', { value: false });
    expect((await run(targets, {}, 'POST')).response.status).toBe(200);
  });

  it('keeps its attempts and retries for failures', async () => {
    const targets = new ScriptedTargets({ a: out, b: gone, c: out, d: gone, e: good });
    const { response, metrics } = await run(targets, { retries: { maxAttempts: 2, budgetPercent: 20 } });
    expect([response.status, targets.sent]).toEqual([502, ['a', 'b', 'c', 'd']]);
    expect(await upstreamCount(metrics, 'gateway_upstream_retries_total')).toBe(1);
  });

  it('gets 503 with Retry-After if there is no other target', async () => {
    for (const targets of [new ScriptedTargets({ a: out }), new ScriptedTargets({ a: out, b: out })]) {
      const { response } = await run(targets);
      expect([response.status, response.problem, response.field('retry-after')]).toEqual([
        503,
        'upstream_overloaded',
        '1',
      ]);
      expect(new Set(targets.sent).size).toBe(targets.sent.length);
    }
  });
});

describe('a retry on the same target', () => {
  /** Asks for repetitions until one is refused, then answers. */
  const asking: TargetScript = ({ takeRetry }) => {
    let turns = 0;
    while (turns < 20 && takeRetry()) turns += 1;
    return answered(200, [String(turns)]);
  };

  it.each([
    ['there is one attempt', { maxAttempts: 1, budgetPercent: 20 }, 0],
    ['there is no budget', { maxAttempts: 3, budgetPercent: 0 }, 0],
    ['there are attempts', { maxAttempts: 3, budgetPercent: 20 }, 2],
    ['the budget is spent before the attempts', { maxAttempts: 20, budgetPercent: 1 }, 10],
  ])('if %s counts as an attempt and a retry', async (_, retries, times) => {
    const allowance = new RetryAllowance(retries.budgetPercent);
    const { response, metrics, exchange } = await run(new ScriptedTargets({ a: asking }), { retries, allowance });
    expect([response.text, exchange.attempts.count]).toEqual([String(times), 1 + times]);
    expect(await upstreamCount(metrics, 'gateway_upstream_attempts_total')).toBe(1 + times);
    expect(await upstreamCount(metrics, 'gateway_upstream_retries_total')).toBe(times);
  });

  it('uses up the attempts that are left for other targets', async () => {
    const repeating: TargetScript = ({ takeRetry }) => (takeRetry() ? failed('unreachable') : answered(200));
    const targets = new ScriptedTargets({ a: repeating, b: repeating, c: good });
    const { response } = await run(targets, { retries: { maxAttempts: 3, budgetPercent: 20 } });
    expect([response.status, targets.sent]).toEqual([200, ['a', 'b']]);
  });
});

describe('a request body', () => {
  const send = async (targets: ScriptedTargets, body: ScriptedBody, method = 'PUT') => {
    const { stage } = sendingStage(targets);
    const { exchange, response } = recordedExchange({ method }, body);
    await stage(exchange);
    return response;
  };

  it('of which little was read is sent to another target from its first octet', async () => {
    const targets = new ScriptedTargets({ a: failingAfter(2), b: echoing });
    expect((await send(targets, new ScriptedBody(['one ', 'two ', 'three']))).text).toBe('one two three');
  });

  it('of which much was read is not sent again', async () => {
    const targets = new ScriptedTargets({ a: failingAfter(3), b: echoing });
    const half = Buffer.alloc(32_768, 'x');
    const response = await send(targets, new ScriptedBody([half, half, half]));
    expect([response.status, targets.sent]).toEqual([502, ['a']]);
  });

  it('is sent to another target if nothing of it was sent, even if its first piece was read', async () => {
    const unsent: TargetScript = async ({ body }) => {
      await body?.read();
      return failed('unreachable', true);
    };
    const targets = new ScriptedTargets({ a: unsent, b: echoing });
    expect((await send(targets, new ScriptedBody(['one ', 'two']), 'POST')).text).toBe('one two');
  });

  it('that was held for other targets is released when one answers', async () => {
    const kept = new ChunkBuffer();
    kept.add(Buffer.from('held'));
    const held = new BufferedBody(kept, [], 4);
    const { stage } = sendingStage(new ScriptedTargets({ a: good, b: good }));
    const { exchange } = recordedExchange({ method: 'PUT' });
    exchange.forwarded.body = held;
    expect((await bodyOctets(held.begin())).toString()).toBe('held');
    await stage(exchange);
    expect((await bodyOctets(held.begin())).toString()).toBe('');
  });

  it("that is interrupted is the client's fault, whatever the target answers", async () => {
    const reading: TargetScript = async ({ body }) => {
      await bodyOctets(body).catch(() => undefined);
      return failed('unreachable');
    };
    const targets = new ScriptedTargets({ a: reading, b: good });
    const response = await send(targets, new ScriptedBody(['one', null]));
    expect([response.status, response.problem]).toEqual([400, 'malformed_request']);
    expect([targets.sent, targets.told]).toEqual([['a'], ['a: neither']]);
  });
});

describe('a request without a target', () => {
  it('gets 503 with the time after which a target may be available', async () => {
    const targets = new ScriptedTargets({ a: good });
    targets.refusal = { kind: 'unhealthy', retryAfterSeconds: 7 };
    const { response } = await run(targets);
    expect([response.status, response.problem, response.field('retry-after')]).toEqual([503, 'no_healthy_target', '7']);
  });

  it('gets 502 if no target has an address', async () => {
    const targets = new ScriptedTargets({ a: good });
    targets.refusal = { kind: 'unresolved', detail: 'a: ENOTFOUND' };
    const { response, logger } = await run(targets);
    expect([response.status, response.problem]).toEqual([502, 'upstream_unreachable']);
    expect(response.text).not.toContain('ENOTFOUND');
    expect(logger.lines.at(-1)?.fields).toMatchObject({ upstream: 'api', cause: 'a: ENOTFOUND' });
  });
});

describe('the breaker of the route', () => {
  const setUp = (targets: ScriptedTargets) => {
    const clock = new ManualClock();
    const routeBreaker = breakerOfRoute(clock);
    const { stage } = sendingStage(targets, { clock, routeBreaker });
    const send = async () => {
      const { exchange, response } = recordedExchange();
      await stage(exchange);
      return response;
    };
    return { clock, routeBreaker, send };
  };

  it('refuses requests while it is open, with the seconds that remain', async () => {
    const targets = new ScriptedTargets({ a: gone });
    const { send, clock } = setUp(targets);
    await send();
    await send();
    clock.advance(500);
    const refused = await send();
    expect([refused.status, refused.problem, refused.field('retry-after')]).toEqual([503, 'circuit_open', '10']);
    expect(targets.sent).toHaveLength(2);
  });

  it('counts the outcome of a request, not its attempts', async () => {
    const { send, routeBreaker } = setUp(new ScriptedTargets({ a: gone, b: gone, c: good }));
    await send();
    await send();
    expect(routeBreaker.state).toBe('closed');
  });

  it('counts failing statuses and targets without an address, but not a lack of healthy targets', async () => {
    const targets = new ScriptedTargets({ a: () => answered(503) });
    const { send, routeBreaker } = setUp(targets);
    targets.refusal = { kind: 'unhealthy', retryAfterSeconds: 1 };
    await send();
    await send();
    expect(routeBreaker.state).toBe('closed');
    targets.refusal = null;
    await send();
    targets.refusal = { kind: 'unresolved', detail: '' };
    await send();
    expect(routeBreaker.state).toBe('open');
  });

  it('closes with the head of a successful response, however long its body takes', async () => {
    let script = gone;
    const targets = new ScriptedTargets({ a: (request) => script(request) });
    const { send, clock, routeBreaker } = setUp(targets);
    await send();
    await send();
    clock.advance(10_000);
    let finish: () => void = () => undefined;
    const body = new ScriptedBody([]);
    body.read = () =>
      new Promise((resolve) => {
        finish = () => resolve(null);
      });
    script = () => answered(200, [], { body });
    const probe = send();
    await settled();
    expect([routeBreaker.state, targets.told.at(-1)]).toEqual(['closed', 'a: answered']);
    finish();
    expect((await probe).state).toBe('ended');
  });

  it('gets its probe back after an internal error', async () => {
    const targets = new ScriptedTargets({ a: gone });
    const { send, clock, routeBreaker } = setUp(targets);
    await send();
    await send();
    clock.advance(10_000);
    targets.choose = () => {
      throw new Error('a fault');
    };
    await expect(send()).rejects.toThrow('a fault');
    expect(routeBreaker.admit()).not.toBeNull();
  });
});

it('an internal error during a response ends the exchange with the target', async () => {
  const targets = new ScriptedTargets({ a: good });
  const { stage } = sendingStage(targets);
  const { exchange, response } = recordedExchange();
  response.begin = () => {
    throw new Error('a fault');
  };
  await expect(stage(exchange)).rejects.toThrow('a fault');
  expect([targets.told, targets.cancelled]).toEqual([['a: answered', 'a: neither'], 1]);
});

it('each attempt has a span with its number, its headers and its result', async () => {
  const targets = new ScriptedTargets({ a: gone, b: good });
  const { stage } = sendingStage(targets);
  const { exchange } = recordedExchange();
  const parts: unknown[] = [];
  exchange.trace = {
    upstreamAttempt: (upstream: string, target: string, attempt: number) => ({
      propagate: (headers: readonly string[]) => [...headers, 'traceparent', `of ${attempt}`],
      end: (status: number | null, errorType: string | null) =>
        void parts.push([upstream, target, attempt, status, errorType]),
    }),
  } as unknown as RequestTrace;
  await stage(exchange);
  expect(targets.requests.map(({ headers }) => headers)).toEqual([
    ['traceparent', 'of 1'],
    ['traceparent', 'of 2'],
  ]);
  expect(parts).toEqual([
    ['api', 'a', 1, null, 'unreachable'],
    ['api', 'b', 2, 200, null],
  ]);
});
