import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import type { ProcessExit } from '../../support/shared/processes.js';

/** Below what a fetch of keys may still take, and far above what ending takes. */
const deadlineMs = 4_000;

/** A provider that takes connections and says nothing; `lost` resolves when one is given up. */
const silentProvider = async (cleanUp: CleanUp) => {
  const sockets = new Set<Socket>();
  let noteLoss: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    noteLoss = resolve;
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => noteLoss());
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, sockets, lost };
};

describe.each(['embedded', 'socket'] as const)('a provider that hangs, agent %s', (transport) => {
  it('does not delay the exit of the program', async ({ cleanUp }) => {
    const provider = await silentProvider(cleanUp);
    const stack = await startStack(cleanUp, {
      transport,
      // Without another method the agent would not be ready.
      agentConfig: `api-keys "key:alice"
      oidc "corp" {
        enabled #true
        issuer "${provider.url}"
        jwks-url "${provider.url}/keys"
        audience "api"
      }`,
    });
    expect(provider.sockets.size).toBe(1);
    const ending = transport === 'embedded' ? stack.gateway : stack.agent();
    ending.signal('SIGTERM');
    const late = new Promise<ProcessExit>((resolve) => {
      const timer = setTimeout(() => resolve({ code: null, signal: null }), deadlineMs);
      cleanUp.add(() => clearTimeout(timer));
    });
    expect(await Promise.race([ending.exited, late])).toEqual({ code: 0, signal: null });
    await provider.lost;
  });
});
