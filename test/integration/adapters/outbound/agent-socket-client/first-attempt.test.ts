import { createServer, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { socketClient, socketServer } from '../../../../support/shared/agent-transports.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import { RawPeer, rawHandshakeAnswer } from '../../../../support/shared/raw-agent-peer.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const clientOf = (cleanUp: CleanUp, path: string, settings: Parameters<typeof socketClient>[1] = {}) => {
  const client = socketClient(path, settings);
  cleanUp.add(() => client.stop(0));
  return client;
};

const openFolder = (cleanUp: CleanUp) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  return folder.file('agent.sock');
};

describe('a call before the first connection', () => {
  it('waits for it and is answered', async ({ cleanUp }) => {
    const path = openFolder(cleanUp);
    const server = socketServer(path, new FakeAgentService());
    await server.listen();
    cleanUp.add(() => server.drain(0));
    const client = clientOf(cleanUp, path);
    client.start();
    const outcomes = await Promise.all(['a', 'b', 'c'].map((id) => client.ask(headersEvent(id))));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it('survives the failure of one of several attempts', async ({ cleanUp }) => {
    const path = openFolder(cleanUp);
    const attempts: Socket[] = [];
    const agent = createServer((socket) => {
      socket.on('error', () => undefined);
      attempts.push(socket);
    });
    await new Promise<void>((resolve) => agent.listen(path, resolve));
    cleanUp.add(() => agent.close());
    const client = clientOf(cleanUp, path, { timeoutMs: 10_000 });
    client.start();
    const asked = client.ask(headersEvent('a'));
    await eventually(() => attempts.length === 4);
    const last = new RawPeer(attempts[3] as Socket);
    for (const socket of attempts.slice(0, 3)) socket.destroy();
    await last.received(0x01);
    last.send(0x02, rawHandshakeAnswer);
    await last.received(0x10);
    last.send(0x20, { version: 2, decision: 'allow', audit: { custom: { correlation_id: 'a' } } });
    expect(await asked).toMatchObject({ ok: true });
  });

  it('fails with the attempt if nothing listens, long before its timeout', async ({ cleanUp }) => {
    const client = clientOf(cleanUp, openFolder(cleanUp), { timeoutMs: 60_000 });
    client.start();
    expect(await client.ask(headersEvent('a'))).toMatchObject({ ok: false, error: { code: 'unreachable' } });
    expect(await client.ask(headersEvent('b'))).toMatchObject({ ok: false, error: { code: 'unreachable' } });
  });

  it('times out for a silent agent, in a bounded queue', async ({ cleanUp }) => {
    const path = openFolder(cleanUp);
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(path, resolve));
    cleanUp.add(() => silent.close());
    const client = clientOf(cleanUp, path, { timeoutMs: 50, maxQueueDepth: 2 });
    client.start();
    const codes = await Promise.all(
      ['a', 'b', 'c'].map(async (id) => {
        const outcome = await client.ask(headersEvent(id));
        return outcome.ok ? 'answered' : outcome.error.code;
      }),
    );
    expect(codes).toEqual(['timed_out', 'timed_out', 'queue_full']);
  });

  it('is refused if the client is not started', async ({ cleanUp }) => {
    const client = clientOf(cleanUp, openFolder(cleanUp));
    expect(await client.ask(headersEvent('a'))).toMatchObject({ ok: false, error: { code: 'unreachable' } });
  });
});
