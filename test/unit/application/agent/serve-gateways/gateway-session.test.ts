import { beforeEach, describe, expect, it } from 'vitest';
import { defaultSessionOptions } from '../../../../../src/application/agent/serve-gateways/gateway-connection.js';
import type { GatewaySession } from '../../../../../src/application/agent/serve-gateways/gateway-session.js';
import { GatewaySessions } from '../../../../../src/application/agent/serve-gateways/gateway-sessions.js';
import type { HandshakeRequest } from '../../../../../src/domain/agent-protocol/handshake.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type RequestCompleteEvent,
  type ResponseHeadersEvent,
} from '../../../../../src/domain/agent-protocol/messages.js';
import { agentSubscriptions } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../../../../src/domain/shared/result.js';
import { Deferred, FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { FakeGatewayConnection } from '../../../../support/agent/fake-gateway-connection.js';
import {
  chunkEvent,
  completeEvent,
  decided,
  headersEvent,
  needsMoreAnswer,
  responseEvent,
} from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const offer: HandshakeRequest = {
  supportedVersions: [2],
  proxyId: 'gateway-1',
  proxyVersion: '9',
  config: null,
  supportedEncodings: [],
};
const responseHead: ResponseHeadersEvent = {
  kind: 'response_headers',
  correlationId: 'a',
  status: 200,
  headers: [],
};
const complete: RequestCompleteEvent = {
  kind: 'request_complete',
  correlationId: 'a',
  status: 200,
  durationMs: 1,
  requestBodySize: 0,
  responseBodySize: 0,
  upstreamAttempts: 1,
  upstream: null,
  error: null,
};
const marked = (body: string): AgentAnswer => decided({ kind: 'block', status: 403, body, headers: [] });

/** A service whose answers the test gives one by one, by kind and id of their events. */
class HeldService extends FakeAgentService {
  readonly held = new Map<string, Deferred<AgentAnswer>>();

  constructor() {
    super();
    this.answer = (event) => {
      const answer = new Deferred<AgentAnswer>();
      this.held.set(`${event.kind} ${event.correlationId}`, answer);
      return answer.promise;
    };
  }

  async give(event: AgentEvent, answer: AgentAnswer): Promise<void> {
    this.held.get(`${event.kind} ${event.correlationId}`)?.resolve(answer);
    await settled();
  }
}

describe('a GatewaySession', () => {
  let service: HeldService;
  let line: FakeGatewayConnection;
  let clock: ManualClock;
  let scheduler: ManualScheduler;
  let logger: RecordingLogger;
  let sessions: GatewaySessions;
  let session: GatewaySession;

  beforeEach(() => {
    service = new HeldService();
    service.supportedEvents = [
      'request_headers',
      'request_body_chunk',
      'response_headers',
      'response_body_chunk',
      'request_complete',
      'configure',
    ];
    line = new FakeGatewayConnection();
    clock = new ManualClock();
    scheduler = new ManualScheduler(clock);
    logger = new RecordingLogger();
    sessions = new GatewaySessions(service, { clock, scheduler, logger }, defaultSessionOptions);
    session = sessions.open(line);
  });

  const greet = async (): Promise<void> => {
    session.handshake(offer);
    await settled();
    line.sent.splice(0);
  };

  const expectFailure = (reason: string): void => {
    expect(line.sent.at(-1)).toEqual({ kind: 'cut_off', reason });
    expect(session.isOver).toBe(true);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { reason } });
  };

  it('begins with the handshake, and then sends reports', async () => {
    session.handshake(offer);
    expect(session.canTake).toBe(false);
    expect(line.kinds).toEqual([]);
    await settled();
    expect(line.kinds).toEqual(['handshake', 'health']);
    expect(session.canTake).toBe(true);
    expect(line.resumes).toBe(1);
    expect(scheduler.waiting).toBe(0);
  });

  it.each([true, false])('answers other events if one answer fails (synchronously: %s)', async (isPrompt) => {
    service.isPrompt = isPrompt;
    service.answer = () => allowAnswer;
    service.maxConcurrency = 1;
    await greet();
    line.fault = () => {
      line.fault = () => null;
      throw new Error('secret');
    };
    for (const id of ['a', 'b', 'c']) session.event(headersEvent(id), 1);
    await settled();
    expect(line.answers.map(({ correlationId }) => correlationId)).toEqual(['b', 'c']);
    expect(logger.lines.filter(({ level }) => level === 'error')).toMatchObject([{ fields: { reason: 'Error' } }]);
    expect(session.canTake).toBe(true);
  });

  it('cuts texts of its gateway in the log', async () => {
    const [proxyId, proxyVersion] = ['p'.repeat(100_000), 'v'.repeat(100_000)];
    session.handshake({ ...offer, proxyId, proxyVersion });
    await settled();
    session.fail('any reason');
    const refused = sessions.open(new FakeGatewayConnection());
    refused.handshake({ ...offer, proxyId, proxyVersion, supportedVersions: [9] });
    await settled();
    const cut = { proxy_id: 'p'.repeat(200) };
    expect(logger.lines.map(({ fields }) => fields)).toMatchObject([{ ...cut, version: 'v'.repeat(200) }, cut, cut]);
  });

  it('ends without a timely handshake', async () => {
    await scheduler.advance(5_000);
    expectFailure('no handshake arrived in time');
  });

  it.each<[string, (session: GatewaySession) => void]>([
    ['an event', (it) => it.event(headersEvent('a'), 1)],
    ['a configuration', (it) => it.configure({ correlationId: '', config: {}, version: null })],
    ['a cancel', (it) => it.cancel('a', 'timeout')],
    ['a ping', (it) => expect(it.admits(null)).toBe(false)],
  ])('fails at %s before the handshake', async (_case, act) => {
    act(session);
    expectFailure('a message before the handshake');
    expect(service.events).toEqual([]);
    expect(service.cancels).toEqual([]);
  });

  it('fails at a second handshake, also during the first', async () => {
    session.handshake(offer);
    session.handshake(offer);
    expectFailure('a second handshake');
    await settled();
    expect(line.kinds).toEqual(['cut_off']);
  });

  it('refuses a configuration and then ends; a peer that does not close is cut off', async () => {
    session.handshake({ ...offer, config: { refuse: 'no' } });
    await settled();
    expect(line.sent).toEqual([
      { kind: 'handshake', response: { success: false, protocolVersion: 2, error: 'no' } },
      { kind: 'end' },
    ]);
    await scheduler.advance(5_000);
    expect(line.sent.at(-1)).toEqual({ kind: 'cut_off', reason: 'the connection was not closed in time' });
  });

  it('gives each event its own answer, in any order', async () => {
    await greet();
    const ids = ['a', 'b', 'c'];
    for (const id of ids) session.event(headersEvent(id), 1);
    for (const id of ['c', 'a', 'b']) await service.give(headersEvent(id), marked(id));
    expect(line.answers).toEqual(
      ['c', 'a', 'b'].map((id) => ({ kind: 'answer', correlationId: id, answer: marked(id) })),
    );
  });

  it.each<[string, AgentEvent]>([
    ['response_headers', responseHead],
    ['request_complete', complete],
    ['request_headers', headersEvent('a')],
  ])('passes %s to the service only if it subscribes to them', async (kind, event) => {
    service.supportedEvents = service.supportedEvents.filter((name) => name !== kind);
    await greet();
    session.event(event, 1);
    expect(service.events).toEqual([]);
    expect(line.answers).toMatchObject([{ correlationId: 'a', answer: allowAnswer }]);
    service.supportedEvents = [...service.supportedEvents, event.kind];
    session.event(event, 1);
    await service.give(event, marked('judged'));
    expect(line.answers[1]).toMatchObject({ answer: marked('judged') });
  });

  it('fails if two events share an id in flight, subscribed or not', async () => {
    await greet();
    session.event(headersEvent('a'), 1);
    service.supportedEvents = ['request_headers'];
    session.event(responseHead, 1);
    expectFailure('two events in flight for one correlation id');
    expect(line.answers).toEqual([]);
  });

  it('never answers an unknown event with the answer of one in flight', async () => {
    await greet();
    session.event(headersEvent('a'), 1);
    expect(session.admits('b')).toBe(true);
    expect(session.admits(null)).toBe(true);
    expect(session.admits('a')).toBe(false);
    expectFailure('two events in flight for one correlation id');
  });

  it('treats the end of a request as the end of its call, and sends no answer', async () => {
    await greet();
    session.event(headersEvent('a'), 1);
    session.event(complete, 1);
    await service.give(headersEvent('a'), marked('late'));
    expect(service.cancels).toEqual([{ correlationId: 'a', reason: 'manual' }]);
    expect(line.answers).toEqual([]);
    await service.give(complete, marked('over'));
    expect(line.answers).toMatchObject([{ answer: marked('over') }]);
    session.event(complete, 1);
    session.event(complete, 1);
    expectFailure('two events in flight for one correlation id');
  });

  it('fails at an overlong correlation id', async () => {
    await greet();
    session.event(headersEvent('x'.repeat(256)), 1);
    expect(session.isOver).toBe(false);
    session.event(headersEvent('x'.repeat(257)), 1);
    expectFailure('a correlation id is too long');
  });

  it('fails if too many bodies are awaited', async () => {
    service.answer = () => needsMoreAnswer;
    service.maxConcurrency = 20_000;
    await greet();
    for (let index = 0; index < 10_000; index += 1) session.event(headersEvent(`a${index}`), 1);
    await settled();
    session.event(chunkEvent('a1', { isLast: false }), 1);
    session.event(complete, 1);
    expect(session.isOver).toBe(false);
    session.event(headersEvent('b'), 1);
    expectFailure('too many requested bodies are pending');
  });

  it('sends a refusal if an answer cannot be sent', async () => {
    await greet();
    line.fault = (answer) => (answer.decision.kind === 'allow' ? 'it does not fit' : null);
    session.event(headersEvent('a'), 1);
    await service.give(headersEvent('a'), allowAnswer);
    expect(line.answers).toMatchObject([
      { answer: { decision: { kind: 'block', status: 500, body: null, headers: [] } } },
    ]);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'error', fields: { reason: 'it does not fit' } });
  });

  it('sends a refusal if the service fails, and reveals nothing of the error', async () => {
    service.answer = () => Promise.reject(new Error('a secret'));
    await greet();
    session.event(headersEvent('a'), 1);
    await settled();
    expect(line.answers).toMatchObject([{ answer: { decision: { kind: 'block', status: 500 } } }]);
    expect(JSON.stringify(logger.lines)).not.toContain('a secret');
  });

  it('applies configurations in sequence, with a small queue', async () => {
    const outcomes: Deferred<Result<void, string>>[] = [];
    await greet();
    service.configure = (config) => {
      service.configs.push(config);
      const outcome = new Deferred<Result<void, string>>();
      outcomes.push(outcome);
      return outcome.promise;
    };
    for (const id of ['1', '2', '3', '4']) session.configure({ correlationId: id, config: { id }, version: null });
    expect(session.canTake).toBe(false);
    await settled();
    expect(service.configs).toEqual([null, { id: '1' }]);
    outcomes[0]?.resolve(ok(undefined));
    await settled();
    expect(session.canTake).toBe(true);
    outcomes[1]?.resolve(err('no'));
    await settled();
    expect(line.sent).toEqual([
      { kind: 'configured', correlationId: '1', outcome: ok(undefined) },
      { kind: 'configured', correlationId: '2', outcome: err('no') },
    ]);
    expect(service.configs).toEqual([null, { id: '1' }, { id: '2' }, { id: '3' }]);
  });

  it('drops the configuration of a disconnected gateway', async () => {
    await greet();
    session.configure({ correlationId: '1', config: { late: true }, version: null });
    sessions.close(session);
    await settled();
    expect(service.configs).toEqual([null]);
    expect(line.sent).toEqual([]);
  });

  it('reads nothing while output is blocked, and ends if that takes too long', async () => {
    await greet();
    sessions.start();
    session.stalled();
    expect(session.canTake).toBe(false);
    session.flowing();
    expect(session.canTake).toBe(true);
    session.stalled();
    await scheduler.advance(29_000);
    expect(session.isOver).toBe(false);
    await scheduler.advance(6_000);
    expectFailure('the gateway does not read');
    sessions.stop();
  });

  it('ends a drain when no call and no awaited body is in flight', async () => {
    service.supportedEvents = ['request_headers', 'request_body_chunk'];
    await greet();
    session.event(headersEvent('a'), 1);
    sessions.drain();
    expect(line.sent.at(-1)).toMatchObject({ kind: 'health', health: { state: 'draining' } });
    await service.give(headersEvent('a'), needsMoreAnswer);
    await scheduler.advance(1_000);
    expect(session.isOver).toBe(false);
    session.event(chunkEvent('a'), 1);
    await service.give(chunkEvent('a'), allowAnswer);
    expect(line.kinds.slice(-2)).toEqual(['metrics', 'answer']);
    await scheduler.advance(250);
    expect(line.kinds.at(-1)).toBe('end');
  });

  it('ends a drain only after the completion of passed requests, if it receives completions', async () => {
    service.supportedEvents = agentSubscriptions;
    await greet();
    for (const id of ['a', 'b', 'c']) session.event(headersEvent(id), 1);
    sessions.drain();
    await service.give(headersEvent('a'), allowAnswer);
    await service.give(headersEvent('b'), decided({ kind: 'block', status: 403, body: null, headers: [] }));
    session.cancel('c', 'client_disconnect');
    await service.give(headersEvent('c'), allowAnswer);
    await scheduler.advance(10_000);
    expect(session.isOver).toBe(false);
    session.event(responseEvent('a'), 1);
    await service.give(responseEvent('a'), allowAnswer);
    await scheduler.advance(10_000);
    expect(session.isOver).toBe(false);
    session.event(completeEvent('a'), 1);
    await service.give(completeEvent('a'), allowAnswer);
    await scheduler.advance(250);
    expect(line.kinds.at(-1)).toBe('end');
  });

  it('ends a drain although the agent wants more after the last chunk', async () => {
    await greet();
    session.event(chunkEvent('a', { isLast: true }), 1);
    sessions.drain();
    await service.give(chunkEvent('a'), needsMoreAnswer);
    await scheduler.advance(250);
    expect(line.kinds.at(-1)).toBe('end');
  });

  it('is drained immediately without a handshake, and at its greeting with one', async () => {
    sessions.drain();
    expect(line.kinds).toEqual(['end']);
    const late = new FakeGatewayConnection();
    sessions.open(late).handshake(offer);
    await settled();
    expect(late.sent.at(-1)).toMatchObject({ kind: 'health', health: { state: 'draining' } });
    await scheduler.advance(250);
    expect(late.kinds.at(-1)).toBe('end');
  });

  it('passes no event to the service that was cancelled while waiting', async () => {
    service.maxConcurrency = 1;
    await greet();
    for (const id of ['a', 'b', 'c']) session.event(headersEvent(id), 1);
    session.cancel('b', 'client_disconnect');
    await service.give(headersEvent('a'), allowAnswer);
    expect(service.events.map(({ correlationId }) => correlationId)).toEqual(['a', 'c']);
    await service.give(headersEvent('c'), allowAnswer);
    expect(line.answers.map(({ correlationId }) => correlationId)).toEqual(['a', 'c']);
  });

  it('sends nothing after a failure, even if its transport has not ended', async () => {
    await greet();
    sessions.start();
    session.event(headersEvent('a'), 1);
    session.configure({ correlationId: '1', config: {}, version: null });
    session.fail('a test');
    session.fail('twice');
    await service.give(headersEvent('a'), allowAnswer);
    service.changeState('degraded');
    session.event(headersEvent('b'), 1);
    expect(line.kinds).toEqual(['cut_off']);
    expect(service.events).toHaveLength(1);
    sessions.stop();
  });

  it('leaves nothing behind', async () => {
    await greet();
    service.maxConcurrency = 1;
    session.event(headersEvent('a'), 10);
    session.event(headersEvent('b'), 20);
    session.holds(5);
    sessions.drain();
    sessions.close(session);
    sessions.close(session);
    await service.give(headersEvent('a'), allowAnswer);
    expect(service.events.map(({ correlationId }) => correlationId)).toEqual(['a']);
    expect(service.disconnects).toBe(1);
    expect(sessions.size).toBe(0);
    expect(scheduler.waiting).toBe(0);
    expect(line.answers).toEqual([]);
  });
});
