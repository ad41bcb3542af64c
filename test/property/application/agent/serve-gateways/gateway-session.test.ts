import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSessionOptions } from '../../../../../src/application/agent/serve-gateways/gateway-connection.js';
import { GatewaySessions } from '../../../../../src/application/agent/serve-gateways/gateway-sessions.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type RequestCompleteEvent,
} from '../../../../../src/domain/agent-protocol/messages.js';
import { Deferred, FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { FakeGatewayConnection } from '../../../../support/agent/fake-gateway-connection.js';
import { chunkEvent, decided, headersEvent } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const completeEvent = (correlationId: string): RequestCompleteEvent => ({
  kind: 'request_complete',
  correlationId,
  status: 200,
  durationMs: 1,
  requestBodySize: 0,
  responseBodySize: 0,
  upstreamAttempts: 1,
  upstream: null,
  error: null,
});

type Step =
  | { readonly kind: 'head' | 'chunk' | 'last' | 'complete' | 'cancel' | 'unasked'; readonly id: string }
  | { readonly kind: 'give'; readonly which: number; readonly needsMore: boolean }
  | { readonly kind: 'configure' | 'stalled' | 'flowing' | 'drain' | 'time' };

const id = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('head' as const, 'chunk' as const, 'last' as const, 'complete' as const, 'cancel' as const),
      id,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unasked' as const), id }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('give' as const), which: fc.nat(), needsMore: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'configure' as const,
        'stalled' as const,
        'flowing' as const,
        'drain' as const,
        'time' as const,
      ),
    }),
  },
);

const eventOf = (kind: 'head' | 'chunk' | 'last' | 'complete', correlationId: string): AgentEvent => {
  if (kind === 'head') return headersEvent(correlationId);
  return kind === 'complete' ? completeEvent(correlationId) : chunkEvent(correlationId, { isLast: kind === 'last' });
};

/** An event that was handed over, and the text that only its own answer holds. */
interface Call {
  readonly text: string;
  readonly event: AgentEvent;
  readonly answer: Deferred<AgentAnswer>;
  isDone: boolean;
}

describe('a GatewaySession', () => {
  it('answers each event exactly once with its own answer, and never a cancelled event', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), async (steps, places) => {
        const service = new FakeAgentService();
        service.maxConcurrency = places;
        service.supportedEvents = ['request_headers', 'request_body_chunk', 'request_complete'];
        const calls: Call[] = [];
        service.answer = (event) => {
          const call = { text: `${calls.length}`, event, answer: new Deferred<AgentAnswer>(), isDone: false };
          calls.push(call);
          return call.answer.promise;
        };
        const clock = new ManualClock();
        const scheduler = new ManualScheduler(clock);
        const parts = { clock, scheduler, logger: new RecordingLogger() };
        const sessions = new GatewaySessions(service, parts, defaultSessionOptions);
        const line = new FakeGatewayConnection();
        const session = sessions.open(line);
        session.handshake({
          supportedVersions: [2],
          proxyId: 'p',
          proxyVersion: '1',
          config: null,
          supportedEncodings: [],
        });
        await settled();

        /** What the gateway waits for, by id: the event that it sent last, and has not cancelled. */
        const awaited = new Map<string, AgentEvent>();
        const taken = new Set<unknown>();
        const check = (): void => {
          for (const message of line.answers) {
            if (taken.has(message)) continue;
            taken.add(message);
            const event = awaited.get(message.correlationId);
            expect(event).toBeDefined();
            awaited.delete(message.correlationId);
            const { decision } = message.answer;
            const call = calls.find(({ text }) => decision.kind === 'block' && decision.body === text);
            if (decision.kind === 'block') expect(call?.event).toBe(event);
          }
        };
        for (const next of steps) {
          if (session.isOver) break;
          switch (next.kind) {
            case 'give': {
              const open = calls.filter(({ isDone }) => !isDone);
              const call = open[next.which % Math.max(1, open.length)];
              if (call === undefined) break;
              call.isDone = true;
              const isMore = next.needsMore && call.event.kind !== 'request_complete';
              call.answer.resolve(
                isMore
                  ? { ...allowAnswer, needsMore: true }
                  : decided({ kind: 'block', status: 403, body: call.text, headers: [] }),
              );
              break;
            }
            case 'cancel':
              awaited.delete(next.id);
              session.cancel(next.id, 'timeout');
              break;
            case 'unasked':
              expect(session.admits(next.id)).toBe(!awaited.has(next.id));
              break;
            case 'configure':
              if (session.canTake) session.configure({ correlationId: 'c', config: {}, version: null });
              break;
            case 'stalled':
              session.stalled();
              break;
            case 'flowing':
              session.flowing();
              break;
            case 'time':
              await scheduler.advance(100);
              break;
            case 'drain':
              sessions.drain();
              break;
            default: {
              if (!session.canTake) break;
              const event = eventOf(next.kind, next.id);
              const earlier = awaited.get(next.id);
              const isAllowed = earlier === undefined || (next.kind === 'complete' && earlier.kind !== event.kind);
              if (isAllowed) awaited.set(next.id, event);
              session.event(event, 7);
              expect(session.isOver).toBe(!isAllowed);
            }
          }
          await settled();
          check();
        }
        // At most as many as there are places, and what is cancelled keeps its own until it is let go of.
        expect(calls.filter(({ isDone }) => !isDone).length).toBeLessThanOrEqual(places);
        const before = line.sent.length;
        sessions.close(session);
        for (const { answer } of calls) answer.resolve(allowAnswer);
        await settled();
        expect(line.sent).toHaveLength(before);
        expect(scheduler.waiting).toBe(0);
        expect(sessions.size).toBe(0);
        expect(service.disconnects).toBe(1);
      }),
      { numRuns: 150 },
    );
  });
});
