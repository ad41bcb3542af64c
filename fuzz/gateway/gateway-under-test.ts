import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigurationSource } from '../../src/application/ports/gateway/configuration-source.js';
import type {
  GatewayConfiguration,
  UpstreamHttpVersion,
} from '../../src/domain/gateway/configuration/gateway-configuration.js';
import { built } from '../built.js';

/** A gateway in this process. */
export interface GatewayUnderTest {
  readonly port: number;
  stop(): Promise<void>;
}

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {}, trace: () => {} };

const text = (upstreamPort: number): string => `listeners { listener "main" { address "127.0.0.1:8080"; http2 #true } }
routes { route "all" { matches { path-prefix "/" }; upstream "recorder" } }
upstreams { upstream "recorder" { target "127.0.0.1:${upstreamPort}" } }
`;

/** Any port; nothing that would turn the case behind a bad one away. */
const adapted = (configuration: GatewayConfiguration, httpVersion: UpstreamHttpVersion): GatewayConfiguration => ({
  ...configuration,
  system: { ...configuration.system, workerThreads: 1 },
  listeners: configuration.listeners.map((listener) => ({ ...listener, address: { host: '127.0.0.1', port: 0 } })),
  routes: configuration.routes.map((route) => ({ ...route, circuitBreaker: null })),
  upstreams: configuration.upstreams.map((upstream) => ({
    ...upstream,
    httpVersion,
    targetBreaker: null,
    // Megabytes that wait for an upstream take it seconds on a slow machine, where its strict reader shares a core
    // with all lanes.
    timeouts: { connectMs: 5_000, readMs: 10_000, requestMs: 20_000 },
  })),
  limits: { ...configuration.limits, maxConnectionsPerClient: 10_000 },
});

export const startGatewayUnderTest = async (
  upstreamPort: number,
  upstreamVersion: UpstreamHttpVersion = '1.1',
): Promise<GatewayUnderTest> => {
  type Start = typeof import('../../src/bootstrap/gateway/start-gateway.js');
  type File = typeof import('../../src/bootstrap/shared/configuration-file.js');
  const { gatewayContainer, startGateway } = await built<Start>('bootstrap/gateway/start-gateway.js');
  const { configurationFile } = await built<File>('bootstrap/shared/configuration-file.js');
  const folder = mkdtempSync(join(tmpdir(), 'pc-fuzz-'));
  const file = join(folder, 'gateway.kdl');
  writeFileSync(file, text(upstreamPort));
  const read = configurationFile(file);
  const source: ConfigurationSource = {
    load: async () => {
      const { configuration, problems } = await read.load();
      return { configuration: configuration && adapted(configuration, upstreamVersion), problems };
    },
  };
  const container = gatewayContainer(file, source, {
    logger: silent,
    accessLog: { isOn: true, write: () => {} },
    droppedAccessLines: () => 0,
    auditOutput: () => {
      throw new Error('there is no audit log here');
    },
  });
  const started = await startGateway(container);
  rmSync(folder, { recursive: true, force: true });
  if (!started.ok) {
    const { reason, problems } = started.error;
    throw new Error(reason ?? problems.map(({ message }) => message).join('\n'));
  }
  const address = started.value.addresses.listeners.get('main');
  if (address === undefined) throw new Error('the gateway does not listen');
  return { port: address.port, stop: () => started.value.stop(0) };
};
