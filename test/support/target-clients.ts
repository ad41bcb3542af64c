import { createTargetClient } from '../../src/adapters/outbound/upstream-clients/upstream-clients.js';
import type {
  TargetClient,
  TargetClientSettings,
  UpstreamRequest,
} from '../../src/application/ports/upstream-client.js';
import type { CleanUp } from './clean-up.js';

/** A real client of a port of this machine. */
export const targetClient = (
  port: number,
  cleanUp: CleanUp,
  changes: Partial<TargetClientSettings> = {},
): TargetClient => {
  const client = createTargetClient({
    address: { host: '127.0.0.1', port },
    authority: `127.0.0.1:${port}`,
    connectMs: 1_000,
    readMs: 5_000,
    maxConnections: 100,
    maxIdle: 20,
    idle: { take: () => true, giveBack: () => undefined },
    engine: 'node',
    httpVersion: '1.1',
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
