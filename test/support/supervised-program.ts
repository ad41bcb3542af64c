import { writeFileSync } from 'node:fs';
import type { SupervisionTimes } from '../../src/application/supervise-workers/supervision-times.js';
import { type RunningProcess, startProcess } from './processes.js';

const built = (file: string): string => new URL(`../../dist/${file}`, import.meta.url).href;

/** A program that is nothing but a supervisor: it logs in JSON, reloads at SIGHUP, and drains at SIGTERM. */
const program = `
  const load = (file) => import(${JSON.stringify(built(''))} + file);
  const { startSupervised } = await load('bootstrap/start-supervised.js');
  const { configurationFile } = await load('bootstrap/configuration-file.js');
  const { loadFailureText } = await load('bootstrap/load-failure-text.js');
  const { NodeListeningSockets } = await load('adapters/outbound/node-listening-sockets/node-listening-sockets.js');
  const { LogOutput } = await load('adapters/outbound/pino-log/log-output.js');
  const { PinoLogger } = await load('adapters/outbound/pino-log/pino-logger.js');
  const [configFile, workers, times] = process.argv.slice(2);
  const logger = new PinoLogger('info', new LogOutput({ fileDescriptor: 1, format: null, isShared: true }));
  const source = configurationFile(configFile);
  const started = await startSupervised({
    configFile, source, logger,
    log: { level: 'info', format: 'json', warning: null },
    first: await source.load(),
    workers: Number(workers),
    cores: 2,
    sockets: new NodeListeningSockets(),
    services: [],
    drainedTargets: () => [],
    reloaded: (outcome) => logger.info('reload: ' + outcome),
    logFailure: (failure) => logger.error(loadFailureText(failure)),
    program: new URL(${JSON.stringify(built('programs/main-gateway-worker.js'))}),
    times: JSON.parse(times),
  });
  if (!started.ok) {
    process.stderr.write(loadFailureText(started.error));
    process.exit(1);
  }
  const gateway = started.value;
  process.on('SIGHUP', () => void gateway.reload().then((outcome) => {
    if (!outcome.ok) logger.error(loadFailureText(outcome.error));
  }));
  process.on('SIGTERM', () => void gateway.stop().then(() => process.exit(0)));
  for (const { number, pid } of gateway.supervisor.workers()) logger.info('worker', { worker: number, pid });
  logger.info('ready', { port: gateway.addresses.listeners.get('public').port });
`;

/** A line of the log. */
export type SupervisedLine = Readonly<Record<string, unknown>> & { readonly message: string };

/** Several processes under a supervisor. */
export interface SupervisedProgram {
  readonly process: RunningProcess;
  lines(): readonly SupervisedLine[];
  /** Resolves with the lines of that message when there are so many. */
  logged(message: string, count: number): Promise<readonly SupervisedLine[]>;
}

/** Starts it; it may not have come to serve yet. */
export const startSupervisedProgram = (
  configFile: string,
  workers: number,
  times: Partial<SupervisionTimes> = {},
): SupervisedProgram => {
  // A file, since workers are started with the same options of Node.
  const file = `${configFile}.mjs`;
  writeFileSync(file, program);
  const process_ = startProcess(process.execPath, [file, configFile, String(workers), JSON.stringify(times)]);
  const lines = () =>
    process_
      .output()
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as SupervisedLine] : []));
  return {
    process: process_,
    lines,
    async logged(message, count) {
      await process_.wrote(new RegExp(`(?:"message":"${message}[^]*){${count}}`));
      return lines().filter((line) => line.message === message);
    },
  };
};
