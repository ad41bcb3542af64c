import { Agent, type ServerResponse } from 'node:http';
import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';

const example = mainExample('docs/guides/reload-and-shutdown.md');
/** What the guide's sed makes of it. */
const switched = example.replace(/upstream "blue"$/m, 'upstream "green"');

interface Stage {
  readonly running: DocumentedGateway;
  /** Resolves with the response to the next `/slow`, which waits to be ended. */
  slowOne(): Promise<ServerResponse>;
}

const start = async (cleanUp: CleanUp): Promise<Stage> => {
  let take: (response: ServerResponse) => void = () => undefined;
  const ports: Record<number, number> = {};
  for (const documented of [3001, 3002]) {
    const upstream = new RecordingUpstream((request, response) => {
      if (request.url === '/slow') take(response);
      else response.end(String(documented));
    });
    ports[documented] = await upstream.listen();
    cleanUp.add(() => upstream.close());
  }
  const running = await startDocumented(cleanUp, example, { ports });
  const slowOne = () =>
    new Promise<ServerResponse>((resolve) => {
      take = resolve;
    });
  return { running, slowOne };
};

const reports = async (running: DocumentedGateway, path: string): Promise<Record<string, unknown>> => ({
  ...JSON.parse((await running.ask(9090, { path })).body),
});

describe('the guide to reload and shutdown', () => {
  it('says that a reload loses no request and keeps the connection', async ({ cleanUp }) => {
    const { running, slowOne } = await start(cleanUp);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanUp.add(() => agent.destroy());
    expect((await running.ask(8080, { agent })).body).toBe('3001');

    const held = slowOne();
    const slow = running.ask(8080, { path: '/slow' });
    const response = await held;
    running.rewrite(switched);
    expect((await running.gateway.reload()).ok).toBe(true);
    const [socket] = Object.values(agent.freeSockets).flat();
    expect((await running.ask(8080, { agent })).body).toBe('3002');
    expect(Object.values(agent.freeSockets).flat()[0]).toBe(socket);
    response.end('in the end');
    expect(await slow).toMatchObject({ status: 200, body: 'in the end' });
    expect(running.logger.lines).toContainEqual(expect.objectContaining({ message: 'the configuration was reloaded' }));
    expect((await running.ask(9090, { path: '/metrics' })).body).toMatch(
      /gateway_config_reloads_total\{[^}]*result="success"[^}]*\} 1/,
    );
  });

  it('says that an invalid reload changes nothing', async ({ cleanUp }) => {
    const { running } = await start(cleanUp);
    running.rewrite(switched.replace('path-prefix', 'path-prefx'));
    const reloaded = await running.gateway.reload();
    expect(reloaded.ok).toBe(false);
    expect((await running.ask(8080)).body).toBe('3001');
    expect((await running.ask(9090, { path: '/metrics' })).body).toMatch(
      /gateway_config_reloads_total\{[^}]*result="failure"[^}]*\} 1/,
    );
  });

  it('describes a drain', async ({ cleanUp }) => {
    const { running, slowOne } = await start(cleanUp);
    const held = slowOne();
    const slow = running.ask(8080, { path: '/slow' });
    const response = await held;
    const stopped = running.gateway.stop();
    const ready = await running.ask(9090, { path: '/ready' });
    expect([ready.status, JSON.parse(ready.body)]).toEqual([503, expect.objectContaining({ ready: false })]);
    expect(await reports(running, '/health')).toEqual({ status: 'draining' });
    await expect(running.ask(8080)).rejects.toThrow('ECONNREFUSED');
    response.end('in the end');
    expect(await slow).toMatchObject({ status: 200, body: 'in the end', headers: { connection: 'close' } });
    await stopped;
    await expect(call(running.portOf(9090))).rejects.toThrow('ECONNREFUSED');
  });

  it('says that the rest is aborted after the grace period', async ({ cleanUp }) => {
    const { running, slowOne } = await start(cleanUp);
    const held = slowOne();
    const slow = expect(running.ask(8080, { path: '/slow' })).rejects.toThrow();
    await held;
    await running.gateway.stop(0);
    await slow;
  });
});
