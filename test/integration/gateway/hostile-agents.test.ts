import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { GuardedAgentClient } from '../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import { type AgentAnswer, allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { agentSubscriptions } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { HostileAgent, HostileCall } from '../../support/gateway/hostile-agent.js';
import { hostileLegacyAgent, hostileSocketAgent, typedFrame } from '../../support/gateway/hostile-socket-agents.js';
import { type Echo, echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testLimits,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { decided } from '../../support/shared/agent-events.js';
import { pooledClient } from '../../support/shared/agent-transports.js';
import { eventually } from '../../support/shared/eventually.js';
import { hostileGrpcAgent } from '../../support/shared/hostile-grpc-agent.js';
import { call, type HttpAnswer } from '../../support/shared/http-call.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';

type Transport = 'socket' | 'grpc' | 'legacy';

const agents: Readonly<Record<Transport, () => Promise<HostileAgent>>> = {
  socket: hostileSocketAgent,
  grpc: hostileGrpcAgent,
  legacy: hostileLegacyAgent,
};

const timeoutMs = 150;
/** The test makes the client itself. */
const elsewhere = { kind: 'unix_socket', path: '/nowhere', owner: null } as const;
const connections = 2;

type Misdeed = (call: HostileCall, good: AgentAnswer) => void;

const mebibyte = 1_048_576;
const operations = (count: number, length: number): AgentAnswer['responseHeaders'] =>
  Array.from({ length: count }, (_, index) => ({ kind: 'set', name: `X-${index}`, value: 'y'.repeat(length) }));

/** With one octet of a value made something that is no UTF-8. */
const misspelt = (octets: Buffer): Buffer => {
  const at = octets.indexOf('MARK');
  const spoilt = Buffer.from(octets);
  spoilt[at] = 0xff;
  return spoilt;
};

const spelt: AgentAnswer = { ...allowAnswer, responseHeaders: [{ kind: 'set', name: 'X', value: 'MARK' }] };

/** What can be done to any line. */
const misdeeds: Readonly<Record<string, Misdeed>> = {
  'never answers': () => {},
  'closes the connection': ({ line }) => line.cut(),
  'ends its half, and reads on': ({ line }) => line.endHalf(),
  'reads nothing more': ({ line }) => line.stopReading(),
  'cuts its answer off': ({ line, id }, good) => {
    line.write(line.answer(good, id).subarray(0, -2));
    line.endHalf();
  },
  'breaks off within the length of its answer': ({ line, id }, good) => {
    line.write(line.answer(good, id).subarray(0, 3));
    line.endHalf();
  },
  // So early that a pong behind it does not make it whole.
  'never comes to the end of its answer': ({ line, id }, good) => line.write(line.answer(good, id).subarray(0, 7)),
  'answers one octet at a time, and too slowly': ({ line, id }, good) => {
    const octets = line.answer(good, id);
    let sent = 0;
    const timer = setInterval(() => {
      line.write(octets.subarray(sent, sent + 1));
      sent += 1;
      if (sent === octets.length || !line.isOpen) clearInterval(timer);
    }, 10);
  },
  'answers after the time': ({ line, id }, good) => {
    setTimeout(() => line.write(line.answer(good, id)), timeoutMs + 50);
  },
  'answers another request': ({ line }, good) => line.write(line.answer(good, 'nobody')),
  'answers a thousand other requests': ({ line }, good) => {
    line.write(Buffer.concat(Array.from({ length: 1_000 }, (_, index) => line.answer(good, `nobody-${index}`))));
  },
  'sends a message of no octets': ({ line }) => line.write(line.message(Buffer.alloc(0), 0)),
  'announces a message larger than any': ({ line }) => line.write(line.message(Buffer.alloc(10), 0xffff_ffff)),
  'announces a message one octet too large': ({ line }) =>
    line.write(line.message(Buffer.alloc(10), 16 * mebibyte + 1)),
  'sends octets that are no message': ({ line }) => line.write(line.message(Buffer.alloc(500, 0xfe))),
  'sends invalid UTF-8 in its answer': ({ line, id }) => line.write(misspelt(line.answer(spelt, id))),
  'answers with 10 000 header operations': ({ line, id }) =>
    line.write(line.answer({ ...allowAnswer, responseHeaders: operations(10_000, 3) }, id)),
  'answers with a mebibyte of headers': ({ line, id }) =>
    line.write(line.answer({ ...allowAnswer, responseHeaders: operations(1_000, 1_000) }, id)),
  'answers with a status of none': ({ line, id }) =>
    line.write(line.answer(decided({ kind: 'block', status: 0, body: null, headers: [] }), id)),
  'answers with headers that split the response': ({ line, id }) =>
    line.write(line.answer(decided({ kind: 'redirect', url: 'https://a/\r\nX: y', status: 302 }), id)),
};

const socketMisdeeds: Readonly<Record<string, Misdeed>> = {
  'sends a message of an unknown type': ({ line }) => line.write(typedFrame(0x7f, '{}')),
  'sends a message that only gateways send': ({ line, id }) =>
    line.write(typedFrame(0x10, JSON.stringify({ correlation_id: id }))),
  'shakes hands a second time': ({ line }) => line.write(typedFrame(0x02, '{"success":true}')),
  'answers without a decision': ({ line, id }) =>
    line.write(line.message(Buffer.from(JSON.stringify({ version: 2, correlation_id: id })))),
  'answers with two decisions': ({ line, id }) =>
    line.write(line.message(Buffer.from(`{"correlation_id":"${id}","decision":{"allow":{},"block":{"status":403}}}`))),
  'answers with a decision of its own': ({ line, id }) =>
    line.write(line.message(Buffer.from(`{"correlation_id":"${id}","decision":"ALLOW"}`))),
  'pauses and never resumes': ({ line, id }) =>
    line.write(typedFrame(0x33, JSON.stringify({ correlation_id: id, action: 1, timestamp_ms: 0 }))),
  'sends a thousand reports that are none': ({ line }) =>
    line.write(Buffer.concat(Array.from({ length: 1_000 }, () => typedFrame(0x31, '{"counters":7}')))),
};

const legacyMisdeeds: Readonly<Record<string, Misdeed>> = {
  'answers without a decision': ({ line }) => line.write(line.message(Buffer.from('{"version":2}'))),
  'answers as to a configuration': ({ line }) => line.write(line.message(Buffer.from('{"success":true}'))),
};

const grpcMisdeeds: Readonly<Record<string, Misdeed>> = {
  'answers without a decision': ({ line, id }) => {
    const correlation = Buffer.concat([Buffer.of(0x0a, id.length), Buffer.from(id)]);
    line.write(line.message(Buffer.concat([Buffer.of(0x12, correlation.length), correlation])));
  },
  'sends a message of an unknown kind': ({ line }) => line.write(line.message(Buffer.of(0x7a, 0x00))),
  'sends a compressed message': ({ line, id }, good) => {
    const octets = line.answer(good, id);
    octets[0] = 1;
    line.write(octets);
  },
};

const misdeedsOf: Readonly<Record<Transport, Readonly<Record<string, Misdeed>>>> = {
  socket: { ...misdeeds, ...socketMisdeeds },
  grpc: { ...misdeeds, ...grpcMisdeeds },
  legacy: { ...misdeeds, ...legacyMisdeeds },
};

const phases: readonly HostileCall['kind'][] = [
  'request_headers',
  'request_body_chunk',
  'response_headers',
  'response_body_chunk',
];

// Most of it waits for calls to time out: the transports do so side by side, the tests of each in their order.
describe.concurrent.each(['socket', 'grpc', 'legacy'] as const)('a gateway and a hostile agent', (transport) => {
  describe.sequential(`by the ${transport} transport`, () => {
    let agent: HostileAgent;
    let upstream: HttpUpstream;
    let gateway: InProcessGateway;
    let reached: number;
    const marks = new Map<string, string>();

    /** As an agent should: it looks at everything, and says for the request and its response which one it is. */
    const goodAnswer = ({ kind, id, isLast, mark }: HostileCall): AgentAnswer => {
      if (mark !== null) marks.set(id, mark);
      const value = marks.get(id) ?? '';
      if (kind === 'request_complete') marks.delete(id);
      if (kind === 'request_headers') {
        return { ...allowAnswer, needsMore: true, requestHeaders: [{ kind: 'set', name: 'X-Seen', value }] };
      }
      if (kind === 'response_headers') {
        return { ...allowAnswer, needsMore: true, responseHeaders: [{ kind: 'set', name: 'X-Judged', value }] };
      }
      return { ...allowAnswer, needsMore: kind.endsWith('_chunk') && !isLast };
    };
    const behaveWell = (asked: HostileCall): void => asked.line.write(asked.line.answer(goodAnswer(asked), asked.id));

    const request = (mark: string): Promise<HttpAnswer> =>
      call(gateway.address.port, { method: 'POST', body: `body of ${mark}`, headers: { 'X-Mark': mark } });

    /** Of an answer that is the upstream's: whether all of it is about the request with this mark. */
    const expectOwn = ({ headers, body }: HttpAnswer, mark: string): void => {
      const { rawHeaders, body: sent } = JSON.parse(body) as Echo;
      expect(rawHeaders[rawHeaders.indexOf('X-Seen') + 1]).toBe(mark);
      expect([headers['x-judged'], sent]).toEqual([mark, `body of ${mark}`]);
    };

    const expectFailure = ({ status, headers, body }: HttpAnswer): void => {
      expect([503, 504]).toContain(status);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(body).not.toContain('body of');
    };

    /** The agent behaves again: sooner or later a request is served, and until then none is let through. */
    const recovers = async (): Promise<void> => {
      agent.behave = behaveWell;
      for (let turn = 0; ; turn += 1) {
        const answer = await request(`again ${turn}`);
        if (answer.status === 200) {
          expectOwn(answer, `again ${turn}`);
          return;
        }
        expectFailure(answer);
      }
    };

    /** Nothing is left of what happened: no call, and no connection but those that the gateway keeps. */
    const settles = async (): Promise<void> => {
      const status = () => gateway.state.agents()[0];
      for (const line of agent.lines) line.readAgain();
      await eventually(() => status()?.inFlight === 0 && status()?.queueDepth === 0);
      await eventually(() => status()?.connections === connections);
      await eventually(() => agent.lines.filter(({ isOpen }) => isOpen).length === connections);
    };

    beforeEach(async () => {
      reached = 0;
      marks.clear();
      agent = await agents[transport]();
      upstream = await startHttpUpstream((incoming, response) => {
        reached += 1;
        echo(incoming, response);
      });
      const configuration = testConfiguration([testUpstream(upstream.port)], {
        agents: [{ ...testAgent('auth'), transport: elsewhere, events: agentSubscriptions, timeoutMs }],
        routes: [testRoute({ agents: ['auth'] })],
        limits: { ...testLimits, maxHeaderCount: 20_000, maxHeaderSizeBytes: mebibyte },
      });
      gateway = await startInProcess(configuration, {
        createAgent: ({ name, events }) => {
          const client = pooledClient(agent.connector, { timeoutMs, config: null }, { connections });
          const rules = { breaker: null, maxResponseBytes: testLimits.maxAgentResponseBytes, events };
          expect(name).toBe(client.name);
          return new GuardedAgentClient(client, rules, { clock: new SystemClock(), logger: new RecordingLogger() });
        },
      });
      agent.behave = behaveWell;
      await eventually(() => gateway.state.agents()[0]?.connections === connections);
    });

    afterEach(async () => {
      await gateway.stop();
      await agent.close();
      await upstream.close();
    });

    it.each(Object.entries(misdeedsOf[transport]))(
      'that %s: nothing passes, and service recovers',
      async (_, misdeed) => {
        for (const phase of phases) {
          const before = reached;
          agent.behave = (asked) => {
            if (asked.kind === phase) misdeed(asked, goodAnswer(asked));
            else behaveWell(asked);
          };
          expectFailure(await request(`bad ${phase}`));
          if (phase.startsWith('request')) expect(reached).toBe(before);
          await recovers();
        }
        // What is said to the end of a request is of no consequence for it.
        agent.behave = (asked) => {
          if (asked.kind === 'request_complete') misdeed(asked, goodAnswer(asked));
          else behaveWell(asked);
        };
        const answer = await request('complete');
        if (answer.status === 200) expectOwn(answer, 'complete');
        else expectFailure(answer);
        await recovers();
        await settles();
      },
    );

    it.each<[string, HostileAgent['greet']]>([
      ['says nothing', () => false],
      [
        'leaves',
        (line) => {
          line.cut();
          return false;
        },
      ],
      [
        'says what nobody can read',
        (line) => {
          line.write(line.message(Buffer.alloc(100, 0xfe)));
          return false;
        },
      ],
      [
        'answers a call that there is none of',
        (line) => {
          line.write(line.answer(allowAnswer, 'nobody'));
          return true;
        },
      ],
    ])('that %s instead of the handshake: nothing passes before the handshake', async (_, greet) => {
      agent.greet = greet;
      for (const line of agent.lines) line.cut();
      await eventually(() => agent.lines.length > connections);
      for (let turn = 0; turn < 3; turn += 1) expectFailure(await request('ungreeted'));
      expect(reached).toBe(0);
      agent.greet = () => true;
      await recovers();
      await settles();
    });

    it('has only the first of two answers used', async () => {
      const block = decided({ kind: 'block', status: 403, body: 'no', headers: [] });
      for (let turn = 0; turn < 5; turn += 1) {
        agent.behave = ({ line, id }) =>
          line.write(
            Buffer.concat([line.answer(block, id), line.answer(allowAnswer, id), line.answer(allowAnswer, id)]),
          );
        const answer = await request('twice');
        // In the older framing nothing says which of two answers is for whom: neither is.
        expect(answer.status).toBe(transport === 'legacy' ? 503 : 403);
        expect(reached).toBe(turn);
        await recovers();
        reached = turn + 1;
      }
      await settles();
    });

    it('cannot give a request the answer of another', async () => {
      const noise = fc.record({
        turns: fc.nat({ max: 4 }),
        extra: fc.constantFrom('nothing', 'twice', 'unknown', 'earlier', 'earlier', 'twice'),
      });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(noise, { minLength: 40, maxLength: 40 }), async (script) => {
          round += 1;
          const earlier: string[] = [];
          let turn = 0;
          agent.behave = (asked) => {
            const { turns, extra } = script[turn % script.length] as (typeof script)[number];
            turn += 1;
            const answer = goodAnswer(asked);
            const octets = asked.line.answer(answer, asked.id);
            const also = (): Buffer => {
              if (extra === 'twice') return octets;
              if (extra === 'unknown') return asked.line.answer(answer, `unknown-${turn}`);
              const id = extra === 'earlier' ? earlier.at(-1 - turns) : undefined;
              return id === undefined ? Buffer.alloc(0) : asked.line.answer(answer, id);
            };
            let wait = turns;
            const go = (): void => {
              wait -= 1;
              if (wait >= 0) setImmediate(go);
              else asked.line.write(Buffer.concat([octets, also()]));
            };
            go();
            if (asked.kind === 'request_complete') earlier.push(asked.id);
          };
          const ids = Array.from({ length: 12 }, (_, index) => `mark ${round}.${index}`);
          const answers = await Promise.all(ids.map(request));
          for (const [index, answer] of answers.entries()) {
            if (answer.status === 200) expectOwn(answer, ids[index] as string);
            else expectFailure(answer);
          }
        }),
        { numRuns: 8 },
      );
      await recovers();
      await settles();
    });

    it('gets requests with 10 000 headers', async () => {
      const fields = Array.from({ length: 10_000 }, (_, index) => [`x${index.toString(36)}`, 'y']).flat();
      agent.behave = (asked) => {
        const seen = decided({ kind: 'block', status: 418, body: asked.mark, headers: [] });
        if (asked.kind === 'request_headers') asked.line.write(asked.line.answer(seen, asked.id));
        else behaveWell(asked);
      };
      const headers = [...fields, 'Host', 'localhost', 'X-Mark', 'many'];
      let answer = await call(gateway.address.port, { headers });
      // To read so many takes a busy machine longer than the time of a call.
      for (; answer.status !== 418; answer = await call(gateway.address.port, { headers })) expectFailure(answer);
      expect(answer.body).toBe('many');
      await settles();
    });
  });
});
