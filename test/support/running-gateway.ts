import { fileURLToPath } from 'node:url';
import { type RunningProcess, startProcess, untilListening } from './processes.js';

const program = (name: string): string => fileURLToPath(new URL(`../../dist/programs/${name}.js`, import.meta.url));

/** Runs the built gateway with these arguments. */
export const runGateway = (args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProcess =>
  startProcess(process.execPath, [program('main-gateway'), ...args], { env });

/** Runs the built agent with these arguments. */
export const runAgent = (args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProcess =>
  startProcess(process.execPath, [program('main-gateway-auth'), ...args], { env });

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
