import { startupErrorText } from '../../adapters/inbound/gateway-command-line/startup-error-text.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import type {
  InheritedSocket,
  UnclaimedSocket,
} from '../../adapters/outbound/node-listening-sockets/inherited-sockets.js';
import { NodeListeningSockets } from '../../adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import { takeSystemdSockets } from '../../adapters/outbound/node-listening-sockets/systemd-sockets.js';
import { PidFile } from '../../adapters/outbound/node-pid-file/pid-file.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { takeHandover } from '../../adapters/outbound/node-successor/handover.js';
import { NodeSuccessorLauncher } from '../../adapters/outbound/node-successor/node-successor-launcher.js';
import { Predecessor } from '../../adapters/outbound/node-successor/predecessor.js';
import { lineFormat } from '../../adapters/outbound/pino-log/line-format.js';
import { LogOutput } from '../../adapters/outbound/pino-log/log-output.js';
import { PinoLogger } from '../../adapters/outbound/pino-log/pino-logger.js';
import {
  asVariables,
  type ServiceEnvironment,
  takeServiceEnvironment,
} from '../../adapters/outbound/systemd-notify/service-environment.js';
import { SystemdServiceManager } from '../../adapters/outbound/systemd-notify/systemd-service-manager.js';
import {
  type DrainedChanges,
  drainedChanges,
  UpgradeProgram,
} from '../../application/gateway/upgrade/upgrade-program.js';
import type { CommandLineOverrides } from '../../application/gateway/workers/supervise/worker-topics.js';
import type { TargetName } from '../../application/ports/gateway/gateway-state.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../application/ports/shared/scheduler.js';
import type { ServiceManager } from '../../application/ports/shared/service-manager.js';
import type { LogConfiguration } from '../../domain/configuration/log-configuration.js';
import { socketAddressText } from '../../domain/configuration/schema/network-kinds.js';
import { logDebugSignal } from '../shared/debug-signal.js';
import { watchSignals } from '../shared/watch-signals.js';
import { noOverrides } from './command-line-overrides.js';
import { loadFailureText } from './load-failure-text.js';
import { openGateway } from './open-gateway.js';
import { serveUntilSignal, servingStatus } from './serve-until-signal.js';
import type { ServingGateway } from './serving-gateway.js';
import type { RunningGateway } from './start-gateway.js';

/** What a gateway process inherits at its start, besides arguments. */
interface ProgramInheritance {
  readonly sockets: readonly InheritedSocket[];
  /** Process id of the predecessor; null if there is none. */
  readonly predecessor: number | null;
  /** Null without a service manager. */
  readonly service: ServiceEnvironment | null;
  /** A problem of the inheritance; null if there is none. */
  readonly warning: string | null;
}

/** Reads the handed-over state: the targets that an operator drained. */
const handedTargets = (state: unknown): readonly TargetName[] => {
  if (!Array.isArray(state)) return [];
  return state.flatMap((target: Partial<TargetName> | null) => {
    const { upstream, address } = target ?? {};
    return typeof upstream === 'string' && typeof address === 'string' ? [{ upstream, address }] : [];
  });
};

/** Changes that a program passes to its successor. */
interface HandedChanges extends DrainedChanges {
  /** A reload was requested during the replacement. */
  readonly reload: boolean;
}

/** Reads the changes since the state was handed over. */
export const handedChanges = (changes: unknown): HandedChanges => {
  const { undrained, drained, reload } = (changes ?? {}) as Partial<Record<keyof HandedChanges, unknown>>;
  return { undrained: handedTargets(undrained), drained: handedTargets(drained), reload: reload === true };
};

/** Reads and removes the variables of the inheritance. Call before starting other processes. */
const takeInheritance = (env: Record<string, string | undefined>, pid: number): ProgramInheritance => {
  const handover = takeHandover(env);
  const passed = takeSystemdSockets(env, pid);
  const handedOver = handover?.sockets.map((socket) => ({ ...socket, name: null }));
  return {
    sockets: handedOver ?? passed.sockets,
    predecessor: handover?.predecessor ?? null,
    service: takeServiceEnvironment(env, pid),
    warning: passed.warning,
  };
};

/**
 * Time without serving that still counts as healthy, since workers are being replaced;
 * milliseconds.
 */
const toleratedMs = 30_000;
/** Check interval without a watchdog, in milliseconds. */
const checkIntervalMs = 5_000;

/**
 * Notifies the service manager that the program is alive while it serves, and updates the status.
 * Cancel it when the shutdown begins: draining workers are not missing, and a successor notifies
 * for itself.
 */
export const watchService = (
  gateway: Pick<RunningGateway, 'addressesNow' | 'unservedMs'>,
  manager: ServiceManager,
  scheduler: Scheduler,
): ScheduledTask => {
  let wasServing = true;
  return scheduler.every(manager.watchdogMs ?? checkIntervalMs, () => {
    const unservedMs = gateway.unservedMs();
    if (manager.watchdogMs !== null && unservedMs < toleratedMs) manager.alive();
    const isServing = unservedMs === 0;
    if (isServing !== wasServing) manager.status(servingStatus(gateway));
    wasServing = isServing;
  });
};

/** Grace for the last log lines, in milliseconds. */
const logGraceMs = 2_000;
const standardOutput = 1;
/** The exit of process 1 ends its container. */
const firstProcess = 1;

export interface RunOptions {
  /** Path of the PID file; null: none. */
  readonly pidFile?: string | null;
  readonly overrides?: CommandLineOverrides;
  /** Called when the gateway serves. */
  started?(gateway: RunningGateway): void;
}

/** Runs the gateway until a signal. Resolves with the exit code. */
export const runGateway = async (
  configFile: string,
  log: LogConfiguration,
  { pidFile = null, overrides = noOverrides, started }: RunOptions = {},
): Promise<number> => {
  const { level, format, warning } = log;
  const inheritance = takeInheritance(process.env, process.pid);
  const { service } = inheritance;
  const output = new LogOutput({ fileDescriptor: standardOutput, format: await lineFormat(format, standardOutput) });
  const logger = new PinoLogger(level, output);
  const clock = new SystemClock();
  const scheduler = new NodeScheduler();
  const ownPidFile = pidFile === null ? null : new PidFile(pidFile, process.pid);
  let serving: ServingGateway | null = null;
  let killWorkers: () => void = () => undefined;
  // Also during the start: workers are in their own process groups, and a hung one would keep the
  // sockets.
  const endAtOnce = (): void => {
    killWorkers();
    serving?.gateway.kill();
    ownPidFile?.remove();
    output.flushSync();
    process.exit(1);
  };
  const signals = watchSignals(endAtOnce, true);
  logDebugSignal(logger);
  const predecessor = inheritance.predecessor === null ? null : new Predecessor(process);
  // A serving program drains instead, on the signal that accompanies the message.
  predecessor?.onAbandoned(() => {
    if (serving === null) endAtOnce();
  });
  const manager = service && new SystemdServiceManager(service, logger);
  try {
    if (warning !== null) logger.warn(warning);
    if (inheritance.warning !== null) logger.warn(inheritance.warning);
    const sockets = new NodeListeningSockets(inheritance.sockets);
    const drainedTargets = predecessor === null ? [] : handedTargets(await predecessor.state());
    const opening = { configFile, overrides, log, output, logger, clock, sockets, drainedTargets };
    const begins = (kill: () => void): void => {
      killWorkers = kill;
    };
    const outcome = await openGateway({ ...opening, begins });
    if (!outcome.ok) {
      process.stderr.write(loadFailureText(outcome.error));
      return 1;
    }
    serving = outcome.value;
    const { gateway, reloadRequests, reloadCount } = serving;
    logUnclaimed(sockets.dismissUnclaimed(), inheritance, logger);
    logStart(gateway, logger);
    try {
      ownPidFile?.write();
    } catch (error) {
      process.stderr.write(`error: cannot write the PID file: ${startupErrorText(error)}\n`);
      // Finishes the connections accepted meanwhile.
      await gateway.stop();
      return 1;
    }
    manager?.ready(servingStatus(gateway));
    let isReloadLeft = false;
    if (predecessor !== null) {
      // The service manager must know the main process before the predecessor exits.
      await manager?.told();
      const changes = handedChanges(await predecessor.serving());
      await applyChanges(changes, serving);
      isReloadLeft = changes.reload;
      logger.info('the program has taken over', { predecessor: inheritance.predecessor });
    }
    const watch = manager && watchService(gateway, manager, scheduler);
    started?.(gateway);
    const launcher = new NodeSuccessorLauncher(() => {
      const state = gateway.drainedTargets();
      return {
        sockets: sockets.held(),
        state,
        changes: (): HandedChanges => ({
          ...drainedChanges(state, gateway.drainedTargets()),
          reload: upgrade.takeReload(),
        }),
        env: service === null ? {} : asVariables(service),
      };
    });
    const upgrade = new UpgradeProgram(launcher, scheduler, logger, process.pid !== firstProcess);
    const ending = (): void => watch?.cancel();
    const own = { signals, upgrade, manager, logger, reloadRequests, reloadCount, isReloadLeft, ending };
    await serveUntilSignal(gateway, own);
    return 0;
  } finally {
    predecessor?.leave();
    ownPidFile?.remove();
    await manager?.told();
    // With a blocked log reader, an ordinary exit would wait forever.
    if (!(await output.close(logGraceMs))) process.kill(process.pid, 'SIGKILL');
  }
};

/** Applies the changes that the predecessor received during the start. */
const applyChanges = async ({ undrained, drained }: HandedChanges, { drainTarget }: ServingGateway): Promise<void> => {
  for (const target of undrained) await drainTarget(target, false);
  for (const target of drained) await drainTarget(target, true);
};

const logStart = ({ addresses }: RunningGateway, logger: Logger): void => {
  for (const [listener, { host, port }] of addresses.listeners) {
    logger.info('the gateway listens', { listener, address: socketAddressText({ host, port }) });
  }
  if (addresses.admin) {
    logger.info('the admin endpoints are served', { address: socketAddressText(addresses.admin) });
  }
};

/**
 * Logs unused sockets of the service manager. Sockets of a predecessor may be unused after a
 * configuration change.
 */
const logUnclaimed = (
  sockets: readonly UnclaimedSocket[],
  { predecessor }: ProgramInheritance,
  logger: Logger,
): void => {
  for (const { fd, name, address } of predecessor === null ? sockets : []) {
    const what = address === null ? 'it is not a TCP socket' : 'no listener has its name or address';
    logger.error(`a socket from the service manager is not used: ${what}`, {
      file_descriptor: fd,
      name,
      address: address && socketAddressText(address),
    });
  }
};
