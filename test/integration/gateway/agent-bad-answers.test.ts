import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { GuardedAgentClient } from '../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import { type AgentAnswer, type AgentDecision, allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { agentSubscriptions } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { decided } from '../../support/shared/agent-events.js';
import { openTransport } from '../../support/shared/agent-transports.js';
import { CleanUp } from '../../support/shared/clean-up.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';

let cleanUp: CleanUp;
let upstream: HttpUpstream;
let reached: number;

beforeEach(async () => {
  cleanUp = new CleanUp();
  reached = 0;
  upstream = await startHttpUpstream((_request, response) => {
    reached += 1;
    response.end('a secret');
  });
  cleanUp.add(() => upstream.close());
});

afterEach(() => cleanUp.run());

const blockWith = (members: Partial<Extract<AgentDecision, { kind: 'block' }>>): AgentAnswer =>
  decided({ kind: 'block', status: 403, body: null, headers: [], ...members });

/** What an agent may say that means to refuse, and cannot be taken as it is. */
const answers: readonly (readonly [string, AgentAnswer])[] = [
  ['a block of 20 KiB', blockWith({ body: 'x'.repeat(20_480) })],
  ['a block with status 600', blockWith({ status: 600 })],
  ['a block with a header value that is none', blockWith({ headers: ['X-Why', 'a\r\nb'] })],
  ['an operation on a header that is none', { ...allowAnswer, responseHeaders: [{ kind: 'remove', name: 'a b' }] }],
];

const start = async (service: FakeAgentService, transport: 'socket' | 'embedded'): Promise<InProcessGateway> => {
  service.supportedEvents = agentSubscriptions;
  const opened = await openTransport(transport, service);
  cleanUp.add(() => opened.close());
  const elsewhere = { transport: { kind: 'unix_socket', path: '/nowhere', owner: null } } as const;
  const agent = {
    ...testAgent('judge'),
    ...(transport === 'socket' ? elsewhere : {}),
    failureMode: 'open',
    events: agentSubscriptions,
  } as const;
  const configuration = testConfiguration([testUpstream(upstream.port)], {
    agents: [agent],
    routes: [testRoute({ agents: ['judge'] })],
  });
  const gateway = await startInProcess(configuration, {
    createAgent: ({ events }) =>
      new GuardedAgentClient(
        opened.client,
        { breaker: null, maxResponseBytes: 10_240, events },
        { clock: new SystemClock(), logger: new RecordingLogger() },
      ),
  });
  cleanUp.add(() => gateway.stop());
  await opened.ready();
  return gateway;
};

describe.each(['socket', 'embedded'] as const)('failure mode open, with an agent that is %s', (transport) => {
  it.each(answers)('does not pass a request that the agent answers with %s', async (_what, answer) => {
    const service = new FakeAgentService();
    service.answer = () => answer;
    const { url } = await start(service, transport);
    const response = await fetch(url);
    expect([response.status, reached]).toEqual([503, 0]);
    expect(await response.json()).toMatchObject({ code: 'agent_unavailable' });
  });

  it.each(answers)('does not pass a response that the agent answers with %s', async (_what, answer) => {
    const service = new FakeAgentService();
    service.answer = ({ kind }) => (kind === 'response_headers' ? answer : allowAnswer);
    const { url } = await start(service, transport);
    const response = await fetch(url);
    expect([response.status, reached]).toEqual([503, 1]);
    expect(await response.text()).not.toContain('a secret');
  });
});
