import { once } from 'node:events';
import { request as httpRequest, type ServerResponse } from 'node:http';
import { describe, expect } from 'vitest';
import { startHttp2Upstream } from '../../support/gateway/http2-upstream.js';
import { testConfiguration, testLimits } from '../../support/gateway/in-process-gateway.js';
import { startEchoing, startMirror, startMirrored } from '../../support/gateway/mirrored-gateway.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';

/** Requests to a gateway whose mirror hangs are answered within this time; milliseconds. */
const promptMs = 5_000;
const timeouts = { connectMs: 20_000, readMs: 20_000, requestMs: 20_000 };

describe('a request with a mirror that fails', () => {
  it('is answered while the mirror hangs, whatever its body', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    const held: ServerResponse[] = [];
    const mirror = await startMirror(cleanUp, (request, response) => {
      request.pause();
      held.push(response);
    });
    const gateway = await startMirrored(cleanUp, main.port, mirror, { shadow: { timeouts } });
    const body = 'z'.repeat(1_000_000);
    const signal = AbortSignal.timeout(promptMs);
    for (let count = 0; count < 5; count += 1) {
      expect((await call(gateway.port, { signal })).status).toBe(200);
      expect((await call(gateway.port, { method: 'POST', body, signal })).status).toBe(200);
    }
    await eventually(() => held.length === 10);
    expect(gateway.state.requestsInFlight()).toBe(0);
    expect(await gateway.results()).toEqual({});
  });

  it('is answered while the mirror is dead, and the log names the cause once', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    const gateway = await startMirrored(cleanUp, main.port, await freePort());
    for (let count = 0; count < 20; count += 1) {
      const body = 'abc'.repeat(count);
      expect((await call(gateway.port, { method: 'POST', body })).status).toBe(200);
    }
    await expect.poll(() => gateway.results()).toEqual({ failed: 20 });
    const lines = gateway.logger.lines.filter(({ message }) => message === 'A mirrored request got no response');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'warn', fields: { upstream: 'shadow' } });
    expect(gateway.state.upstreams().find(({ name }) => name === 'shadow')?.targets[0]).toMatchObject({
      healthy: true,
      failedRequests: 0,
    });
  });

  it.each([
    ['closes the connection', (_: string) => null],
    ['answers no HTTP', (_: string) => 'nonsense\r\n\r\n'],
    ['cuts its response', (_: string) => 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'],
  ])('is answered if the mirror %s', async (_, answer) => {
    const cleanUp = new CleanUp();
    try {
      const main = await startEchoing(cleanUp);
      const mirror = await startRawUpstream((socket, head) => {
        const text = answer(head);
        if (text === null) socket.resetAndDestroy();
        else socket.end(text);
      });
      cleanUp.add(() => mirror.close());
      const gateway = await startMirrored(cleanUp, main.port, mirror.port);
      for (let count = 0; count < 10; count += 1) expect((await call(gateway.port)).status).toBe(200);
      await expect
        .poll(async () => Object.values(await gateway.results()).reduce((sum, value) => sum + value, 0))
        .toBe(10);
    } finally {
      await cleanUp.run();
    }
  });

  it('reads no more than a bounded part of a huge response', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    let written = 0;
    let isClosed = false;
    const mirror = await startMirror(cleanUp, (_, response) => {
      const piece = Buffer.alloc(65_536);
      const write = (): void => {
        while (!response.destroyed && written < 500_000_000) {
          written += piece.length;
          if (!response.write(piece)) return;
        }
      };
      response.on('drain', write).on('close', () => {
        isClosed = true;
      });
      write();
    });
    const gateway = await startMirrored(cleanUp, main.port, mirror);
    expect((await call(gateway.port)).status).toBe(200);
    await eventually(() => isClosed);
    // What the buffers of both kernels hold comes on top of the limit.
    expect(written).toBeLessThan(50_000_000);
    expect(await gateway.results()).toEqual({ answered: 1 });
  });

  it('ends a response that never ends at the timeout of the mirror', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    let closed = 0;
    const mirror = await startMirror(cleanUp, (_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(timer);
        closed += 1;
      });
    });
    const gateway = await startMirrored(cleanUp, main.port, mirror, {
      shadow: { timeouts: { ...timeouts, requestMs: 300 } },
    });
    expect((await call(gateway.port)).status).toBe(200);
    await eventually(() => closed === 1);
    await expect.poll(() => gateway.results()).toEqual({ answered: 1 });
  });

  it('counts a mirror that does not answer in time as failed', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    const mirror = await startMirror(cleanUp, () => undefined);
    const gateway = await startMirrored(cleanUp, main.port, mirror, {
      shadow: { timeouts: { ...timeouts, requestMs: 100 } },
    });
    expect((await call(gateway.port)).status).toBe(200);
    await expect.poll(() => gateway.results()).toEqual({ failed: 1 });
  });

  it('counts a mirror without an address as no_target', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    const gateway = await startMirrored(cleanUp, main.port, 1, {
      shadow: { targets: [{ address: { host: 'nowhere.invalid', port: 1 }, weight: 1 }] },
    });
    expect((await call(gateway.port)).status).toBe(200);
    await expect.poll(() => gateway.results()).toEqual({ no_target: 1 });
  });

  it('has at most 100 copies under way, and drops the others', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    const held: ServerResponse[] = [];
    const mirror = await startMirror(cleanUp, (_, response) => void held.push(response));
    const gateway = await startMirrored(cleanUp, main.port, mirror, { shadow: { timeouts, maxConnections: 1_000 } });
    for (let count = 0; count < 120; count += 1) expect((await call(gateway.port)).status).toBe(200);
    await eventually(() => held.length === 100);
    expect(await gateway.results()).toEqual({ dropped: 20 });
    for (const response of held) response.end();
    await expect.poll(() => gateway.results()).toEqual({ dropped: 20, answered: 100 });
    await call(gateway.port);
    await eventually(() => held.length === 101);
    held.at(-1)?.end();
    await expect.poll(() => gateway.results()).toEqual({ dropped: 20, answered: 101 });
  });

  it('gives back the places of copies that were never sent', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    const shadow = await startEchoing(cleanUp);
    const gateway = await startMirrored(cleanUp, main.port, shadow.port, {
      main: { maxConnections: 1_000 },
      changes: { limits: { ...testLimits, maxConnectionsPerClient: 1_000 } },
    });
    const sent = Array.from({ length: 100 }, () => {
      const request = httpRequest({ port: gateway.port, method: 'POST', headers: { 'Content-Length': 10 } });
      request.on('error', () => undefined);
      request.write('begun');
      return request;
    });
    await eventually(() => gateway.state.requestsInFlight() === 100);
    await call(gateway.port);
    await expect.poll(() => gateway.results()).toEqual({ dropped: 1 });
    for (const request of sent) request.destroy();
    await expect.poll(() => gateway.results()).toEqual({ dropped: 1, body_incomplete: 100 });
    await call(gateway.port);
    await expect.poll(() => gateway.results()).toEqual({ dropped: 1, body_incomplete: 100, answered: 1 });
  });

  it('is answered over a reload, which ends copies to a hung mirror', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    let open = 0;
    const mirror = await startMirror(cleanUp, (_, response) => {
      open += 1;
      response.on('close', () => {
        open -= 1;
      });
    });
    const gateway = await startMirrored(cleanUp, main.port, mirror, { shadow: { timeouts } });
    for (let count = 0; count < 10; count += 1) await call(gateway.port);
    await eventually(() => open === 10);
    expect((await gateway.reload(testConfiguration([], gateway.configuration))).ok).toBe(true);
    expect((await call(gateway.port)).status).toBe(200);
    await eventually(() => open === 1);
    await expect.poll(() => gateway.results()).toEqual({ failed: 10 });
  });

  it('does not delay the stop of the gateway', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    let open = 0;
    const mirror = await startMirror(cleanUp, (_, response) => {
      open += 1;
      response.on('close', () => {
        open -= 1;
      });
    });
    const hour = 3_600_000;
    const gateway = await startMirrored(cleanUp, main.port, mirror, {
      shadow: { timeouts: { connectMs: hour, readMs: hour, requestMs: hour } },
    });
    for (let count = 0; count < 5; count += 1) await call(gateway.port, { method: 'POST', body: 'abc' });
    await eventually(() => open === 5);
    await gateway.gateway.stop(hour);
    await eventually(() => open === 0);
  });

  it('reaches another address of the mirror if one cannot be connected to', async ({ cleanUp }) => {
    const main = await startEchoing(cleanUp);
    const streams: string[] = [];
    const shadow = await startHttp2Upstream(cleanUp, (stream, headers) => {
      streams.push(String(headers[':path']));
      stream.respond({ ':status': 204 }, { endStream: true });
    });
    const gateway = await startMirrored(cleanUp, main.port, shadow.port, {
      shadow: { httpVersion: '2', targets: [{ address: { host: 'localhost', port: shadow.port }, weight: 1 }] },
    });
    for (let count = 0; count < 10; count += 1) await call(gateway.port, { method: 'POST', body: `${count}` });
    await expect.poll(() => gateway.results()).toEqual({ answered: 10 });
    expect(streams).toHaveLength(10);
  });

  it('streams an upload to its upstream while the mirror waits for its end', async ({ cleanUp }) => {
    const arrived: string[] = [];
    const main = await startMirror(cleanUp, (request, response) => {
      request.on('data', (piece: Buffer) => arrived.push(piece.toString()));
      request.on('end', () => response.end('done'));
    });
    const shadow = await startEchoing(cleanUp);
    const gateway = await startMirrored(cleanUp, main, shadow.port);
    const sent = httpRequest({ port: gateway.port, method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } });
    for (const piece of ['one', 'two', 'three']) {
      sent.write(piece);
      await eventually(() => arrived.includes(piece));
      expect(shadow.received).toEqual([]);
    }
    sent.end();
    const [response] = await once(sent, 'response');
    response.resume();
    await eventually(() => shadow.received.length === 1);
    expect(shadow.received[0]?.body).toBe('onetwothree');
  });
});
