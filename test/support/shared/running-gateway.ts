import { fileURLToPath } from 'node:url';
import { type RunningProcess, startProcess, untilListening } from './processes.js';

/** Path of a built program. */
export const builtProgram = (name: string): string =>
  fileURLToPath(new URL(`../../../dist/programs/${name}.js`, import.meta.url));

/**
 * What is not about workers needs none, and starts sooner. An environment can say otherwise, with an empty value what
 * the file says.
 */
const oneProcess = { GATEWAY_WORKER_THREADS: '1' };

/** Runs the built gateway with these arguments. */
export const runGateway = (args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProcess =>
  startProcess(process.execPath, [builtProgram('main-gateway'), ...args], { env: { ...oneProcess, ...env } });

const testedSockets = process.env['PORTCULLIS_TEST_SOCKETS'];

/** Runs the built agent with these arguments, on the socket layer under test. */
export const runAgent = (args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProcess =>
  startProcess(process.execPath, [builtProgram('main-gateway-auth'), ...args], {
    env: { ...(testedSockets !== undefined && { SOCKET_LAYER: testedSockets }), ...env },
  });

/** Starts the built gateway with a configuration file; resolves once it listens on all of these ports. */
export const startBuiltGateway = async (
  configurationFile: string,
  ports: readonly number[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProcess> => {
  const gateway = runGateway(['--config', configurationFile], env);
  try {
    for (const port of ports) await untilListening(gateway, port);
    return gateway;
  } catch (error) {
    await gateway.stop();
    throw error;
  }
};
