import { existsSync, readFileSync } from 'node:fs';
import type { CleanUp } from '../shared/clean-up.js';
import { freePort } from '../shared/free-port.js';
import { untilTrue } from '../shared/gateway-stack.js';
import { type RunningProcess, untilListening } from '../shared/processes.js';
import { runGateway } from '../shared/running-gateway.js';
import { isAlive, untilGone } from '../shared/successors.js';
import type { TemporaryFolder } from '../shared/temporary-folder.js';
import { RecordingUpstream } from './recording-upstream.js';

/** A gateway of the built program, which can be restarted and replaced; its upstream answers with its name. */
export interface BalancedGateway {
  readonly name: string;
  /** Of a listener that believes X-Forwarded-For of 127.0.0.1. */
  readonly port: number;
  /** Of one whose connections begin with a PROXY header. */
  readonly passedOnPort: number;
  /** What it has written since its last start. */
  output(): string;
  /** SIGTERM; starts it anew once it has ended. */
  restart(): Promise<void>;
  /** SIGUSR2; resolves once the successor serves and the one before has ended. */
  upgrade(): Promise<void>;
}

export interface BalancedGatewayPlan {
  readonly name: string;
  readonly workers: number;
  /** Routes, agents, limits and the like; upstream `api` is there. */
  readonly blocks: string;
}

const configuration = (port: number, passedOnPort: number, upstreamPort: number, blocks: string): string => `
system {
  shutdown-delay-secs 2
  graceful-shutdown-timeout-secs 10
}
listeners {
  listener "public" {
    address "127.0.0.1:${port}"
    trusted-proxies "127.0.0.1/32"
    timeouts { idle-secs 120 }
  }
  listener "passed-on" {
    address "127.0.0.1:${passedOnPort}"
    trusted-proxies "127.0.0.1/32"
    proxy-protocol #true
  }
}
upstreams { upstream "api" { target "127.0.0.1:${upstreamPort}" } }
${blocks}
`;

/** Starts one; `cleanUp` ends it, whoever is in charge then. */
export const startBalancedGateway = async (
  cleanUp: CleanUp,
  folder: TemporaryFolder,
  { name, workers, blocks }: BalancedGatewayPlan,
): Promise<BalancedGateway> => {
  const upstream = new RecordingUpstream((request, response) => {
    upstream.received.splice(0);
    request.resume().once('end', () => response.end(name));
  });
  const upstreamPort = await upstream.listen();
  cleanUp.add(() => upstream.close());
  const [port, passedOnPort] = [await freePort(), await freePort()];
  const file = folder.write(`${name}.kdl`, configuration(port, passedOnPort, upstreamPort, blocks));
  const pidFile = folder.file(`${name}.pid`);
  const inCharge = (): number => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0);

  let running: RunningProcess | null = null;
  const start = async (): Promise<void> => {
    const env = { RUST_LOG: 'warn', GATEWAY_WORKER_THREADS: `${workers}` };
    running = runGateway(['--config', file, '--pid-file', pidFile], env);
    for (const each of [port, passedOnPort]) await untilListening(running, each);
  };
  cleanUp.add(async () => {
    const pid = inCharge();
    if (pid !== 0 && isAlive(pid)) {
      process.kill(pid, 'SIGKILL');
      await untilGone(pid);
    }
    await running?.stop();
  });
  await start();
  return {
    name,
    port,
    passedOnPort,
    output: () => running?.output() ?? '',
    restart: async () => {
      const pid = inCharge();
      process.kill(pid, 'SIGTERM');
      await untilGone(pid);
      await start();
    },
    upgrade: async () => {
      const before = inCharge();
      process.kill(before, 'SIGUSR2');
      await untilTrue('another is in charge', () => ![0, before].includes(inCharge()));
      await untilGone(before);
    },
  };
};
