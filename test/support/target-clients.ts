import { UndiciTargetClient } from '../../src/adapters/outbound/undici-upstream/undici-target-client.js';
import type { TargetClientSettings, UpstreamRequest } from '../../src/application/ports/upstream-client.js';
import type { CleanUp } from './clean-up.js';

/** A real client of a port of this machine. */
export const targetClient = (
  port: number,
  cleanUp: CleanUp,
  changes: Partial<TargetClientSettings> = {},
): UndiciTargetClient => {
  const client = new UndiciTargetClient({
    address: { host: '127.0.0.1', port },
    authority: `127.0.0.1:${port}`,
    connectMs: 1_000,
    readMs: 5_000,
    maxConnections: 100,
    maxIdle: 20,
    idle: { take: () => true, giveBack: () => undefined },
    ...changes,
  });
  cleanUp.add(() => client.close(0));
  return client;
};

/** A POST without a body. */
export const plainUpstreamRequest: UpstreamRequest = {
  method: 'POST',
  target: '/',
  headers: ['Host', 'a'],
  body: null,
  upgradeToWebSocket: false,
  timeoutMs: 5_000,
  patienceMs: 5_000,
  mayRepeat: () => false,
};
