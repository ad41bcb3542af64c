import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { defaultKeySetLimits } from '../../../../../src/adapters/outbound/undici-documents/document-request.js';
import { UndiciKeySetSource } from '../../../../../src/adapters/outbound/undici-documents/undici-key-set-source.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { certificatePem, selfSignedCertificate } from '../../../../support/agent/self-signed-certificate.js';
import { publicJwk, rsaPair } from '../../../../support/agent/test-tokens.js';
import { type RawAnswer, startRawUpstream } from '../../../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { freePort } from '../../../../support/shared/free-port.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const pair = rsaPair();
const keySet = JSON.stringify({ keys: [{ ...publicJwk(pair.publicKey), kid: 'first' }] });

/** Limits that a test need not wait for. */
const limits = { connectMs: 300, answerMs: 300, headOctets: 4_096, bodyOctets: 8_192 };
const patient = new UndiciKeySetSource({ ...limits, connectMs: 5_000, answerMs: 20_000 });
const hasty = new UndiciKeySetSource(limits);

const serving = async (cleanUp: CleanUp, answer: RawAnswer) => {
  const ended: Promise<void>[] = [];
  const upstream = await startRawUpstream((socket, head, turn) => {
    ended.push(new Promise((resolve) => socket.once('close', () => resolve())));
    answer(socket, head, turn);
  });
  cleanUp.add(() => upstream.close());
  return { upstream, url: `http://127.0.0.1:${upstream.port}/keys?of=corp`, ended };
};

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const headOf = (fields: readonly string[], status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
const whole = (body: string, ...fields: string[]): string =>
  headOf([`Content-Length: ${Buffer.byteLength(body)}`, ...fields]) + body;

describe('a valid provider', () => {
  it('returns its key set on one GET for JSON', async ({ cleanUp }) => {
    const { upstream, url } = await serving(cleanUp, (socket) =>
      socket.write(whole(keySet, 'Content-Type: application/json')),
    );
    expect(await patient.fetch(url, neverCancelled)).toEqual({ ok: true, value: JSON.parse(keySet) });
    const [head = ''] = upstream.heads;
    expect(head).toMatch(/^GET \/keys\?of=corp HTTP\/1\.1\r\n/);
    expect(head.toLowerCase()).toContain('\r\naccept-encoding: identity');
    expect(head.toLowerCase()).not.toMatch(/\r\n(authorization|cookie):/);
  });

  it('may answer in chunks, slowly, with any type, or with a byte order mark', async ({ cleanUp }) => {
    const { url } = await serving(cleanUp, (socket, _, turn) => {
      if (turn === 1) socket.write(whole(`\ufeff${keySet}`, 'Content-Type: text/plain'));
      if (turn !== 0) return;
      socket.write(headOf(['Transfer-Encoding: chunked']));
      const parts = keySet.match(/.{1,100}/g) ?? [];
      const send = (): void => {
        const part = parts.shift();
        socket.write(part === undefined ? '0\r\n\r\n' : `${part.length.toString(16)}\r\n${part}\r\n`);
        if (part !== undefined) setImmediate(send);
      };
      send();
    });
    expect(await patient.fetch(url, neverCancelled)).toEqual({ ok: true, value: JSON.parse(keySet) });
    expect(await patient.fetch(url, neverCancelled)).toEqual({ ok: true, value: JSON.parse(keySet) });
  });

  it('has its connection closed afterwards, despite keep-alive', async ({ cleanUp }) => {
    const { url, ended } = await serving(cleanUp, (socket) => socket.write(whole(keySet)));
    expect(await patient.fetch(url, neverCancelled)).toMatchObject({ ok: true });
    await ended[0];
  });

  it('is not delayed by another provider that hangs', async ({ cleanUp }) => {
    const slow = await serving(cleanUp, () => undefined);
    const quick = await serving(cleanUp, (socket) => socket.write(whole(keySet)));
    const hanging = patient.fetch(slow.url, neverCancelled);
    expect(await patient.fetch(quick.url, neverCancelled)).toMatchObject({ ok: true });
    await slow.upstream.close();
    expect(await hanging).toMatchObject({ ok: false, error: { code: 'unreachable' } });
  });

  it('may send up to the limit', async ({ cleanUp }) => {
    const body = `{"keys":"${'x'.repeat(limits.bodyOctets - 11)}"}`;
    expect(body.length).toBe(limits.bodyOctets);
    const { url } = await serving(cleanUp, (socket) => socket.write(whole(body)));
    expect(await patient.fetch(url, neverCancelled)).toMatchObject({ ok: true });
  });
});

describe('a response is refused', () => {
  const oversize = 'x'.repeat(limits.bodyOctets + 1);
  const chunked = headOf(['Transfer-Encoding: chunked']);

  it.for<[string, string | Buffer, string, RegExp]>([
    ['that is an error', `${headOf(['Content-Length: 2'], '500 Oops')}{}`, 'bad_status', /status 500$/],
    ['without content', headOf([], '204 No Content'), 'bad_status', /status 204$/],
    ['that is partial', `${headOf(['Content-Length: 2'], '206 Partial Content')}{}`, 'bad_status', /status 206$/],
    ['that announces too much', headOf([`Content-Length: ${oversize.length}`]), 'too_large', /over 8192 bytes/],
    ['that is too much', `${headOf(['Connection: close'])}${oversize}`, 'too_large', /over 8192 bytes/],
    ['with a head without end', `HTTP/1.1 200 OK\r\nX-Junk: ${'x'.repeat(5_000)}`, 'too_large', /head .*over 4096/],
    ['that is HTML', whole('<html>keys</html>', 'Content-Type: application/json'), 'malformed', /JSON/],
    ['that is empty', whole(''), 'malformed', /JSON/],
    ['that is a list', whole('[]'), 'malformed', /JSON object/],
    ['that is half a JSON text', whole(keySet.slice(0, 200)), 'malformed', /JSON/],
    ['that names a member twice', whole('{"keys":[],"keys":[]}'), 'malformed', /JSON/],
    ['that is deep', whole(`{"keys":${'['.repeat(3_000)}${']'.repeat(3_000)}}`), 'malformed', /JSON/],
    [
      'that is not UTF-8',
      Buffer.concat([Buffer.from(headOf(['Content-Length: 9'])), Buffer.from('{"a":"\xff"}', 'latin1')]),
      'malformed',
      /UTF-8/,
    ],
    ['that is no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', 'malformed', /HTTP/],
    ['with two lengths', headOf(['Content-Length: 2', 'Content-Length: 3']), 'malformed', /HTTP/],
    ['with a chunk that is none', `${chunked}zz\r\n{}\r\n`, 'malformed', /HTTP/],
  ])('%s', async ([_, answer, code, detail], { cleanUp }) => {
    const { url, ended } = await serving(cleanUp, (socket) => {
      socket.write(answer);
      if (answer.toString('latin1').includes('Connection: close')) socket.end();
    });
    const fetched = await patient.fetch(url, neverCancelled);
    expect(fetched).toMatchObject({ ok: false, error: { code, detail: expect.stringMatching(detail) } });
    await ended[0];
  });

  it.for(['301 Moved', '302 Found', '303 See Other', '307 Temporary Redirect', '308 Permanent Redirect'])(
    'that redirects: %s',
    async (status, { cleanUp }) => {
      const elsewhere = await serving(cleanUp, (socket) => socket.write(whole(keySet)));
      const { url } = await serving(cleanUp, (socket) =>
        socket.write(headOf([`Location: ${elsewhere.url}`, 'Content-Length: 0'], status)),
      );
      const fetched = await patient.fetch(url, neverCancelled);
      expect(fetched).toMatchObject({ ok: false, error: { code: 'bad_status' } });
      expect(elsewhere.upstream.connections()).toBe(0);
    },
  );

  it('that is endless, as soon as it exceeds the limit', async ({ cleanUp }) => {
    let sent = 0;
    const { url, ended } = await serving(cleanUp, (socket) => {
      socket.write(chunked);
      const chunk = `400\r\n${' '.repeat(1_024)}\r\n`;
      const pour = (): void => {
        while (!socket.destroyed && socket.write(chunk)) sent += 1_024;
      };
      socket.on('drain', pour);
      pour();
    });
    expect(await patient.fetch(url, neverCancelled)).toMatchObject({ ok: false, error: { code: 'too_large' } });
    await ended[0];
    // What was under way in the buffers of two sockets is what may come on top.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('that is compressed, unread', async ({ cleanUp }) => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '));
    const { url, ended } = await serving(cleanUp, (socket) => {
      socket.write(headOf(['Content-Encoding: gzip', `Content-Length: ${bomb.length}`]));
      socket.write(bomb);
    });
    const small = await serving(cleanUp, (socket) => {
      const body = gzipSync(keySet);
      socket.write(headOf(['Content-Encoding: gzip', `Content-Length: ${body.length}`]));
      socket.write(body);
    });
    const refused = { ok: false, error: { code: 'malformed', detail: expect.stringMatching(/compressed/) } };
    expect(await patient.fetch(url, neverCancelled)).toEqual(refused);
    expect(await patient.fetch(small.url, neverCancelled)).toEqual(refused);
    await ended[0];
  });

  it.for<[string, (socket: Socket) => void]>([
    ['before a word', (socket) => socket.destroy()],
    ['by a reset', (socket) => socket.resetAndDestroy()],
    ['in its head', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
    ['in its body', (socket) => socket.end(headOf([`Content-Length: ${keySet.length}`]) + keySet.slice(0, 50))],
    [
      'in its body by a reset',
      (socket) => {
        socket.write(headOf([`Content-Length: ${keySet.length}`]) + keySet.slice(0, 50), () =>
          socket.resetAndDestroy(),
        );
      },
    ],
    ['between its chunks', (socket) => socket.end(`${chunked}2\r\n{}\r\n`)],
  ])('that is truncated %s', async ([_, breakOff], { cleanUp }) => {
    const { url } = await serving(cleanUp, (socket) => breakOff(socket));
    const fetched = await patient.fetch(url, neverCancelled);
    expect(fetched).toMatchObject({ ok: false });
    expect(['unreachable', 'malformed']).toContain(fetched.ok || fetched.error.code);
  });
});

describe('a provider that is slow', () => {
  it.for<[string, RawAnswer]>([
    ['with its head', () => undefined],
    ['within its head', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Type:')],
    ['after its head', (socket) => socket.write(headOf([`Content-Length: ${keySet.length}`]))],
    [
      'after any number of interim answers',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    [
      'in sending one octet after the other',
      (socket) => {
        socket.write(headOf(['Content-Length: 4000']));
        const timer = setInterval(() => socket.write(' '), 10);
        socket.once('close', () => clearInterval(timer));
      },
    ],
  ])('%s has a timeout for the complete response, and its connection is closed', async ([_, answer], { cleanUp }) => {
    const { url, ended } = await serving(cleanUp, answer);
    expect(await hasty.fetch(url, neverCancelled)).toEqual({
      ok: false,
      error: { code: 'timed_out', detail: 'no complete answer within 300 ms' },
    });
    await ended[0];
  });

  it('in its handshake has a separate timeout, and its connection is closed', async ({ cleanUp }) => {
    const ended: Promise<void>[] = [];
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).resume();
      ended.push(new Promise((resolve) => socket.once('close', () => resolve())));
    });
    const port = await listening(server);
    cleanUp.add(() => server.close());
    const source = new UndiciKeySetSource({ ...limits, answerMs: 20_000 });
    expect(await source.fetch(`https://127.0.0.1:${port}/`, neverCancelled)).toEqual({
      ok: false,
      error: { code: 'timed_out', detail: 'no connection within 300 ms' },
    });
    await ended[0];
  });
});

describe('a cancelled fetch', () => {
  it('ends without a response', async ({ cleanUp }) => {
    const cancellation = new CancellationSource();
    const { url, ended } = await serving(cleanUp, () => cancellation.cancel());
    const fetched = await patient.fetch(url, cancellation);
    expect(fetched).toEqual({ ok: false, error: { code: 'cancelled', detail: 'the fetch was cancelled' } });
    await ended[0];
  });

  it('ends within a response', async ({ cleanUp }) => {
    const cancellation = new CancellationSource();
    const { url, ended } = await serving(cleanUp, (socket) => {
      socket.write(`${headOf(['Content-Length: 100'])}{"keys":`, () => cancellation.cancel());
    });
    expect(await patient.fetch(url, cancellation)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    await ended[0];
  });

  it('ends within the handshake', async ({ cleanUp }) => {
    const cancellation = new CancellationSource();
    const closed: Promise<void>[] = [];
    const server = createTcpServer((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
      socket.on('error', () => undefined).resume();
      cancellation.cancel();
    });
    cleanUp.add(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const url = `https://127.0.0.1:${await listening(server)}/keys`;
    expect(await patient.fetch(url, cancellation)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    await closed[0];
  });

  it('does not begin if already cancelled', async ({ cleanUp }) => {
    const cancellation = new CancellationSource();
    cancellation.cancel();
    const { upstream, url } = await serving(cleanUp, (socket) => socket.write(whole(keySet)));
    expect(await patient.fetch(url, cancellation)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(upstream.heads).toEqual([]);
  });
});

describe('an unreachable provider', () => {
  it.each<[string, string | (() => Promise<string>), RegExp]>([
    ['because nothing listens', async () => `http://127.0.0.1:${await freePort()}/`, /ECONNREFUSED/],
    ['because its name leads nowhere', 'https://keys.invalid/', /^the connection failed \(E\w+\)$/],
    ['because its address is none', 'keys.json', /not an http or https URL/],
    ['because its address is a file', 'file:///etc/passwd', /not an http or https URL/],
    ['because its address is data', `data:application/json,${keySet}`, /not an http or https URL/],
    ['because its port is no port', 'http://127.0.0.1:99999/', /not an http or https URL/],
  ])('%s, is reported', async (_, url, detail) => {
    const fetched = await patient.fetch(typeof url === 'string' ? url : await url(), neverCancelled);
    expect(fetched).toEqual({ ok: false, error: { code: 'unreachable', detail: expect.stringMatching(detail) } });
  });

  it('with an untrusted certificate is reported', async ({ cleanUp }) => {
    const cert = certificatePem(selfSignedCertificate(pair, 'localhost'));
    const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
    let requests = 0;
    const server = createTlsServer({ cert, key }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => {
        requests += 1;
        socket.end(whole(keySet));
      });
    });
    const port = await listening(server);
    cleanUp.add(() => server.close());
    expect(await patient.fetch(`https://localhost:${port}/`, neverCancelled)).toMatchObject({
      ok: false,
      error: { code: 'unreachable', detail: expect.stringMatching(/SELF_SIGNED/) },
    });
    expect(requests).toBe(0);
  });
});

describe('a failure message', () => {
  it('contains nothing of the response', async ({ cleanUp }) => {
    const { url } = await serving(cleanUp, (socket) =>
      socket.write(whole('{"password":"hunter2"', 'X-Other: hunter2')),
    );
    expect(JSON.stringify(await patient.fetch(url, neverCancelled))).not.toContain('hunter2');
    const garbage = await serving(cleanUp, (socket) => socket.write('hunter2 hunter2\r\n\r\n'));
    expect(JSON.stringify(await patient.fetch(garbage.url, neverCancelled))).not.toContain('hunter2');
  });
});

describe('the default limits', () => {
  it('are 5 s to connect, 10 s in all, and 512 KiB', () => {
    expect(defaultKeySetLimits).toMatchObject({ connectMs: 5_000, answerMs: 10_000, bodyOctets: 524_288 });
  });
});
