import { describe, expect } from 'vitest';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { RecordingReportReader } from '../../../../support/gateway/recording-report-reader.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { socketClient, socketServer } from '../../../../support/shared/agent-transports.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import { metricsReport, reportedValue } from '../../../../support/shared/metrics-reports.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

let path: string;
it.beforeEach(({ cleanUp }) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  path = folder.file('agent.sock');
});

/** An agent that answers when it is told to, and counts its answers. */
const start = async (cleanUp: CleanUp, connections: number) => {
  const service = new FakeAgentService();
  const answers: (() => void)[] = [];
  let answered = 0;
  service.answer = () =>
    new Promise<AgentAnswer>((resolve) => {
      answers.push(() => {
        answered += 1;
        service.report = metricsReport({ agentId: 'fake-1', counters: [reportedValue(answered)] });
        resolve(allowAnswer);
      });
    });
  service.report = metricsReport({ agentId: 'fake-1', counters: [reportedValue(0)] });
  const server = socketServer(path, service);
  await server.listen();
  cleanUp.add(() => server.drain(0));
  const client = socketClient(path, {}, { connections });
  cleanUp.add(() => client.stop(0));
  const reader = new RecordingReportReader();
  client.reportTo(reader);
  client.start();
  await eventually(() => client.status().connections === connections);
  const counted = (): unknown => reader.reports.at(-1)?.counters[0]?.value;
  return { server, client, reader, answers, counted };
};

describe('a draining agent on a socket', () => {
  it('reports before its gateway disconnects', async ({ cleanUp }) => {
    const { server, client, reader, counted } = await start(cleanUp, 4);
    await server.drain(10_000);
    await eventually(() => client.status().connections === 0);
    expect(counted()).toBe(0);
    expect(reader.endedIds).toEqual(['fake-1']);
  });

  it('reports counts of the drain with the last answer of each connection', async ({ cleanUp }) => {
    const { server, client, answers, counted } = await start(cleanUp, 2);
    const asked = [client.ask(headersEvent('a')), client.ask(headersEvent('b')), client.ask(headersEvent('c'))];
    await eventually(() => answers.length === 3);
    const drained = server.drain(10_000);
    await eventually(() => client.status().state === 'draining');
    for (const answer of answers) {
      answer();
      await new Promise(setImmediate);
    }
    expect((await Promise.all(asked)).map(({ ok }) => ok)).toEqual([true, true, true]);
    await drained;
    await eventually(() => client.status().connections === 0);
    expect(counted()).toBe(3);
  });
});
