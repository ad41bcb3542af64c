import { existsSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentUnixSocketServer } from '../../src/adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import type { PooledAgentClient } from '../../src/application/gateway/ask-agents/pooled-agent-client.js';
import { allowAnswer } from '../../src/domain/agent-protocol/messages.js';
import { FakeAgentService } from '../support/agent/fake-agent-service.js';
import { headersEvent } from '../support/shared/agent-events.js';
import { socketClient, socketServer } from '../support/shared/agent-transports.js';
import { eventually } from '../support/shared/eventually.js';
import { type TemporaryFolder, temporaryFolder } from '../support/shared/temporary-folder.js';

describe('an agent that is restarted while it is asked', () => {
  let folder: TemporaryFolder;
  let path: string;
  let client: PooledAgentClient;
  let server: AgentUnixSocketServer;

  const serve = async (): Promise<FakeAgentService> => {
    const service = new FakeAgentService();
    service.answer = async () => {
      await new Promise(setImmediate);
      return allowAnswer;
    };
    server = socketServer(path, service, { drainLingerMs: 100 });
    await server.listen();
    return service;
  };

  beforeEach(async () => {
    folder = temporaryFolder();
    path = folder.file('agent.sock');
    await serve();
    client = socketClient(path);
    client.start();
    await eventually(() => client.status().connections === 4);
  });

  afterEach(async () => {
    await client.stop(0);
    await server.drain(0);
    folder.remove();
  });

  it('answers every call that it was sent before it leaves, and is asked again when it is back', async () => {
    const outcomes = new Map<string, number>();
    let isOver = false;
    let asked = 0;
    const caller = async (): Promise<void> => {
      while (!isOver) {
        asked += 1;
        const outcome = await client.ask(headersEvent(`c${asked}`));
        const key = outcome.ok ? outcome.value.decision.kind : outcome.error.code;
        outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
        await new Promise(setImmediate);
      }
    };
    const callers = Promise.all(Array.from({ length: 30 }, caller));
    const allowed = (): number => outcomes.get('allow') ?? 0;
    await eventually(() => allowed() > 300);
    await server.drain(5_000);
    expect(existsSync(path)).toBe(false);
    await eventually(() => client.status().connections === 0 && outcomes.has('unreachable'));
    const before = allowed();
    await serve();
    await eventually(() => allowed() > before + 300);
    isOver = true;
    await callers;
    // No call was lost, and none was allowed while nobody judged it.
    expect([...outcomes.keys()].sort()).toEqual(['allow', 'unreachable']);
  });

  it('leaves no descriptor behind, however often it comes and goes', async () => {
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const cycle = async (): Promise<void> => {
      await server.drain(0);
      await eventually(() => client.status().connections === 0);
      await serve();
      await eventually(() => client.status().connections === 4);
    };
    await cycle();
    const before = openFiles();
    for (let round = 0; round < 10; round += 1) await cycle();
    await eventually(() => openFiles() <= before);
    expect((await client.ask(headersEvent('after'))).ok).toBe(true);
  });
});
