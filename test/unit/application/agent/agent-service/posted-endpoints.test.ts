import { describe, expect, it } from 'vitest';
import { AgentEndpoints } from '../../../../../src/application/agent/agent-service/agent-endpoints.js';
import {
  PostedEndpoints,
  type TakenPiece,
} from '../../../../../src/application/agent/agent-service/posted-endpoints.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { FakeAgentEndpoint } from '../../../../support/agent/fake-agent-endpoint.js';
import { chunkEvent, headersEvent } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const connection = Symbol('connection');
const noStore = { kind: 'set', name: 'Cache-Control', value: 'no-store' };
const text = (value: string) => new TextEncoder().encode(value);

const textOf = ({ decision }: AgentAnswer): string | null => (decision.kind === 'block' ? decision.body : null);

const answerOf = (taken: TakenPiece): AgentAnswer | null => (taken.kind === 'answer' ? taken.answer : null);

const world = () => {
  const scheduler = new ManualScheduler(new ManualClock());
  const posted = new PostedEndpoints(scheduler);
  const signOn = new FakeAgentEndpoint('sign-on', ['/saml/acs']);
  const exchange = new FakeAgentEndpoint('exchange', ['/token/exchange']);
  const post = (id: string, endpoint: FakeAgentEndpoint) =>
    posted.answer(
      { event: headersEvent(id, { method: 'POST' }), path: endpoint.paths[0] as string, endpoint },
      connection,
      neverCancelled,
    );
  const piece = (id: string, data: string, isLast: boolean, endpoints: AgentEndpoints | null) =>
    posted.take(chunkEvent(id, { data: text(data), isLast }), connection, endpoints);
  return { scheduler, posted, signOn, exchange, both: new AgentEndpoints([signOn, exchange]), post, piece };
};

describe('forms posted to endpoints', () => {
  it('get the answer of their endpoint, for any chunking', async () => {
    const { posted, signOn, exchange, both, post, piece } = world();
    expect(await post('a', signOn)).toMatchObject({ needsMore: true });
    expect(await post('b', exchange)).toMatchObject({ needsMore: true });
    expect(answerOf(piece('a', 'sign', false, both))).toEqual({ ...allowAnswer, needsMore: true });
    const exchanged = piece('b', 'grant', true, both);
    const signedOn = piece('a', '-on', true, both);
    if (exchanged.kind !== 'complete' || signedOn.kind !== 'complete') throw new Error('a form is not complete');
    const answers = [exchanged, signedOn].map((form) => posted.answerForm(form, both, neverCancelled));
    expect((await Promise.all(answers)).map(textOf)).toEqual(['exchange took the form', 'sign-on took the form']);
    expect([exchange.forms, signOn.forms]).toEqual([['grant'], ['sign-on']]);
  });

  it('are not awaited if the request is cancelled before the endpoint answers', async () => {
    const { scheduler, posted, both, piece } = world();
    const cancellation = new CancellationSource();
    const slow = new FakeAgentEndpoint('exchange', ['/token/exchange']);
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const endpoint = {
      paths: slow.paths,
      formOctets: slow.formOctets,
      answer: () => held.then(() => ({ ...allowAnswer, needsMore: true })),
      answerForm: slow.answerForm.bind(slow),
      refuseForm: slow.refuseForm.bind(slow),
    };
    const event = headersEvent('a', { method: 'POST' });
    const answered = posted.answer({ event, path: '/token/exchange', endpoint }, connection, cancellation);
    cancellation.cancel();
    posted.cancel('a', connection);
    letGo();
    await answered;
    expect(scheduler.waiting).toBe(0);
    expect(answerOf(piece('a', 'x', true, both))).toEqual(allowAnswer);
  });

  it('get the refusal of their endpoint', async () => {
    const { scheduler, signOn, exchange, both, post, piece } = world();
    await post('a', signOn);
    await post('b', exchange);
    await scheduler.advance(30_000);
    expect(textOf(answerOf(piece('b', 'x', true, both)) as AgentAnswer)).toBe('exchange dropped');
    expect([signOn.refused, exchange.refused]).toEqual([[], ['dropped']]);
  });

  it('never pass if a new configuration no longer has the endpoint', async () => {
    const { scheduler, posted, exchange, signOn, post, piece } = world();
    const without = new AgentEndpoints([signOn]);
    await post('a', exchange);
    await post('b', exchange);
    const taken = piece('a', 'x', true, without);
    if (taken.kind !== 'complete') throw new Error('the form is not complete');
    for (const endpoints of [without, null]) {
      const answer = await posted.answerForm(taken, endpoints, neverCancelled);
      expect(answer.decision).toMatchObject({ kind: 'block', status: 503 });
      expect(answer.responseHeaders).toEqual([noStore]);
    }
    await scheduler.advance(30_000);
    const late = answerOf(piece('b', 'x', true, without));
    expect(late?.decision).toMatchObject({ kind: 'block', status: 408 });
    expect(late?.responseHeaders).toEqual([noStore]);
    expect(signOn.forms).toEqual([]);
  });

  it('are limited to the size that their endpoint accepts', async () => {
    const { posted, piece } = world();
    const small = new FakeAgentEndpoint('small', ['/small'], 4);
    const large = new FakeAgentEndpoint('large', ['/large'], 6);
    const endpoints = new AgentEndpoints([small, large]);
    for (const endpoint of [small, large]) {
      for (const octets of [endpoint.formOctets, endpoint.formOctets + 1]) {
        const event = headersEvent('a', { method: 'POST' });
        await posted.answer({ event, path: endpoint.paths[0] as string, endpoint }, connection, neverCancelled);
        expect(piece('a', 'x'.repeat(octets - 2), false, endpoints)).toMatchObject({ answer: { needsMore: true } });
        expect(piece('a', 'xx', true, endpoints).kind).toBe(octets > endpoint.formOctets ? 'answer' : 'complete');
      }
    }
    expect([small.refused, large.refused]).toEqual([['too_large'], ['too_large']]);
  });

  it('are refused if a new configuration accepts only smaller forms', async () => {
    const { posted, piece } = world();
    const before = new FakeAgentEndpoint('before', ['/here'], 6);
    const after = new FakeAgentEndpoint('after', ['/here'], 4);
    const event = headersEvent('a', { method: 'POST' });
    await posted.answer({ event, path: '/here', endpoint: before }, connection, neverCancelled);
    const endpoints = new AgentEndpoints([after]);
    const taken = piece('a', 'xxxxx', true, endpoints);
    if (taken.kind !== 'complete') throw new Error('the form is not complete');
    expect(textOf(await posted.answerForm(taken, endpoints, neverCancelled))).toBe('after too_large');
    expect([before.forms, after.forms]).toEqual([[], []]);
  });

  it('are refused by their endpoint if there is no room', async () => {
    const { posted, exchange, post } = world();
    posted.stop();
    expect(textOf(await post('a', exchange))).toBe('exchange overloaded');
  });

  it('are not buffered if the endpoint wants no body', async () => {
    const { posted, exchange, both, piece } = world();
    const answer = await posted.answer(
      { event: headersEvent('a'), path: '/token/exchange', endpoint: exchange },
      connection,
      neverCancelled,
    );
    expect(textOf(answer)).toBe('exchange answered');
    expect(answerOf(piece('a', 'x', true, both))).toEqual(allowAnswer);
  });

  it.each(['cancelled', 'disconnected'] as const)('are dropped if they are %s', async (ending) => {
    const { posted, exchange, both, post, piece, scheduler } = world();
    await post('a', exchange);
    if (ending === 'cancelled') posted.cancel('a', connection);
    else posted.disconnected(connection);
    expect(answerOf(piece('a', 'x', true, both))).toEqual(allowAnswer);
    expect(scheduler.waiting).toBe(0);
  });
});
