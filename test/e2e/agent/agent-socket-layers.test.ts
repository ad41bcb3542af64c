import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { startProcess } from '../../support/shared/processes.js';
import { type RawPeer, rawGateway, rawHandshake } from '../../support/shared/raw-agent-peer.js';
import { builtProgram, runAgent } from '../../support/shared/running-gateway.js';

const layers = ['native', 'node'] as const;

/** Runs a program that may have so few descriptors. */
const limited = (descriptors: number, ...args: readonly string[]) =>
  startProcess('sh', ['-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, process.execPath, ...args]);

const withoutAddon = (folder: { write(name: string, text: string): string }): Readonly<Record<string, string>> => {
  const preload = folder.write('no-native-code.cjs', "process.dlopen = () => { throw new Error('no such file'); };");
  return { NODE_OPTIONS: `--require=${preload}` };
};

describe.each(layers)('gateway-auth --sockets %s', (name) => {
  it('closes connections for which it has no descriptor, and serves again afterwards', async ({ cleanUp, folder }) => {
    const path = folder.file('a.sock');
    const agent = limited(60, builtProgram('main-gateway-auth'), '--socket', path, '--sockets', name);
    cleanUp.add(() => agent.stop());
    await agent.wrote(/The agent listens/);
    const peers: RawPeer[] = [];
    cleanUp.add(() => {
      for (const peer of peers) peer.socket.destroy();
    });
    for (let peer = 0; peer < 80; peer += 1) peers.push(await rawGateway(path));
    await eventually(() => peers.some(({ isClosed }) => isClosed));
    for (const peer of peers) peer.socket.destroy();
    await eventually(() => peers.every(({ isClosed }) => isClosed));
    const answered = async (): Promise<boolean> => {
      const peer = await rawGateway(path);
      peers.push(peer);
      peer.send(0x01, rawHandshake);
      return (await peer.received(0x02)).length === 1;
    };
    while (!(await answered()));
  });

  it('has its connector report a lack of descriptors, and connect once one is free', async ({ cleanUp, folder }) => {
    const path = folder.file('a.sock');
    const agent = runAgent(['--socket', path], { SOCKET_LAYER: name });
    cleanUp.add(() => agent.stop());
    await agent.wrote(/The agent listens/);
    const dist = fileURLToPath(new URL('../../../dist/', import.meta.url));
    const script = folder.write(
      'connect.mjs',
      `import { closeSync, openSync } from 'node:fs';
       const { SocketLayerSelector } = await import('${dist}adapters/stream-sockets/socket-layer-selector.js');
       const layers = new SocketLayerSelector();
       await layers.choose('${name}');
       const attempt = () => new Promise((resolve) => {
         const socket = layers.current.connectPath(${JSON.stringify(path)}, () => true);
         socket.on('error', (error) => resolve(error.message));
         socket.once('connect', () => { socket.destroy(); resolve('connected'); });
       });
       const taken = [];
       try { for (;;) taken.push(openSync('/dev/null')); } catch {}
       console.log(await attempt());
       for (const fd of taken) closeSync(fd);
       console.log(await attempt());`,
    );
    const client = limited(80, script);
    cleanUp.add(() => client.stop());
    await client.wrote(/connected/);
    expect(client.output()).toBe(`connect EMFILE ${path}\nconnected\n`);
  });
});

describe('the socket layer of gateway-auth', () => {
  it('is shown by --version --verbose', () => {
    const run = spawnSync(process.execPath, [builtProgram('main-gateway-auth'), '--version', '--verbose'], {
      encoding: 'utf8',
    });
    expect(run.stdout).toMatch(/^gateway-auth \d+\.\d+\.\d+\nNode\.js v\d+\.\d+\.\d+\nsockets: native\n$/);
  });

  it('is node:net where the addon is missing, with a warning', async ({ cleanUp, folder }) => {
    const agent = runAgent(['--socket', folder.file('a.sock')], { SOCKET_LAYER: 'auto', ...withoutAddon(folder) });
    cleanUp.add(() => agent.stop());
    const log = await agent.wrote(/The agent listens/);
    expect(log).toContain('connections use node:net, which costs more CPU');
  });

  it('must be there if native is required', ({ folder }) => {
    const run = spawnSync(
      process.execPath,
      [builtProgram('main-gateway-auth'), '--socket', folder.file('a.sock'), '--sockets', 'native'],
      { encoding: 'utf8', env: { ...process.env, ...withoutAddon(folder) } },
    );
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/^error: sockets native: the native socket layer is not available/m);
  });

  it('must be one that exists', () => {
    const run = spawnSync(process.execPath, [builtProgram('main-gateway-auth'), '--sockets', 'fast'], {
      encoding: 'utf8',
    });
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('--sockets');
  });
});
