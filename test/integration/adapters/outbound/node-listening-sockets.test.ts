import { closeSync, openSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { describe, expect } from 'vitest';
import { startupErrorText } from '../../../../src/adapters/inbound/gateway-command-line/startup-error-text.js';
import { NodeListeningSockets } from '../../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { it } from '../../../support/shared/fixtures.js';

const free = { host: '127.0.0.1', port: 0 };

const opener = (cleanUp: CleanUp) => {
  const sockets = new NodeListeningSockets();
  cleanUp.add(() => sockets.keep(new Set()));
  return sockets;
};

const listening = async (cleanUp: CleanUp, server: Server, on: object): Promise<Server> => {
  cleanUp.add(() => new Promise((resolve) => server.close(resolve)));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(on, resolve);
  });
  return server;
};

/** What a client is greeted with; the code of the error where it gets no connection. */
const greeting = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const client = connect(port, '127.0.0.1');
    client.setEncoding('utf8').once('data', (text) => {
      client.destroy();
      resolve(String(text));
    });
    client.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });

/** Why an address cannot be had, as it is told at the start. */
const refusal = async (cleanUp: CleanUp, host: string, port: number): Promise<string> => {
  const outcome = await opener(cleanUp)
    .open('key', { host, port }, 'main')
    .catch((error: unknown) => error);
  return startupErrorText(outcome);
};

describe('an opened socket', () => {
  it('is bound with its actual port, and accepts connections after listen', async ({ cleanUp }) => {
    const socket = await opener(cleanUp).open('key', free, 'main');
    const { host, port } = socket.address;
    expect(host).toBe('127.0.0.1');
    expect(port).toBeGreaterThan(0);
    expect(await greeting(port)).toBe('ECONNREFUSED');
    await listening(
      cleanUp,
      createServer((client) => client.end('hello')),
      socket.listenable,
    );
    expect(await greeting(port)).toBe('hello');
  });

  it('is shared by key, even concurrently, until it is closed', async ({ cleanUp }) => {
    const sockets = opener(cleanUp);
    const [one, other] = await Promise.all([sockets.open('key', free, 'main'), sockets.open('key', free, 'main')]);
    expect(other).toBe(one);
    expect(await sockets.open('key', free, 'main')).toBe(one);
    expect(sockets.held()).toEqual([{ key: 'key', fd: one.fd }]);
    one.close();
    expect(sockets.held()).toEqual([]);
    expect(await sockets.open('key', free, 'main')).not.toBe(one);
  });

  it('closes when its key is not kept', async ({ cleanUp }) => {
    const sockets = opener(cleanUp);
    await sockets.open('one', free, 'main');
    const kept = await sockets.open('other', free, 'main');
    sockets.keep(new Set(['other']));
    expect(sockets.held()).toEqual([{ key: 'other', fd: kept.fd }]);
  });

  it('may use a host name', async ({ cleanUp }) => {
    const { address } = await opener(cleanUp).open('key', { host: 'localhost', port: 0 }, 'main');
    expect(['127.0.0.1', '::1']).toContain(address.host);
  });
});

describe('an unavailable address', () => {
  it('is reported if another program listens', async ({ cleanUp }) => {
    const server = await listening(cleanUp, createServer(), free);
    const { port } = server.address() as { port: number };
    expect(await refusal(cleanUp, '127.0.0.1', port)).toBe(
      `cannot listen on 127.0.0.1:${port}: another program uses the port`,
    );
  });

  it('is reported if the machine does not have it', async ({ cleanUp }) => {
    expect(await refusal(cleanUp, '192.0.2.1', 80)).toBe(
      'cannot listen on 192.0.2.1:80: this host does not have the address',
    );
  });

  it('is reported if its name does not resolve', async ({ cleanUp }) => {
    expect(await refusal(cleanUp, 'no-such-host.invalid', 80)).toBe(
      'cannot listen on no-such-host.invalid: the host name cannot be resolved',
    );
  });

  it('is usable once it is free', async ({ cleanUp }) => {
    const sockets = opener(cleanUp);
    const { address } = await sockets.open('key', free, 'main');
    sockets.keep(new Set());
    expect((await sockets.open('again', address, 'main')).address).toEqual(address);
  });
});

describe('a passed descriptor', () => {
  it('that is no socket is kept and reported', async ({ cleanUp }) => {
    const fd = openSync('/dev/null', 'r');
    cleanUp.add(() => closeSync(fd));
    const sockets = new NodeListeningSockets([
      { fd, key: null, name: 'main' },
      { fd: 9_999, key: null, name: null },
    ]);
    cleanUp.add(() => sockets.keep(new Set()));
    expect((await sockets.open('key', free, 'main')).fd).not.toBe(fd);
    expect(sockets.dismissUnclaimed()).toEqual([
      { fd, key: null, name: 'main', address: null },
      { fd: 9_999, key: null, name: null, address: null },
    ]);
    expect(sockets.dismissUnclaimed()).toEqual([]);
  });
});
