import { startupErrorText } from '../../adapters/inbound/gateway-command-line/startup-error-text.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/prepared-reload.js';
import type { UpgradeProgram } from '../../application/gateway/upgrade/upgrade-program.js';
import type { ReloadRequests } from '../../application/gateway/workers/aggregate/gathering-topics.js';
import type { ReloadOutcome } from '../../application/ports/gateway/gateway-cluster.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { ServiceManager } from '../../application/ports/shared/service-manager.js';
import { formatProblem } from '../../domain/configuration/configuration-problem.js';
import { socketAddressText } from '../../domain/configuration/schema/network-kinds.js';
import type { Result } from '../../domain/shared/result.js';
import type { WatchedSignals } from '../shared/watch-signals.js';
import { logReloadFailure } from './load-failure-text.js';
import type { RunningGateway } from './start-gateway.js';

const reasonOf = ({ reason, cause }: LoadFailure): readonly string[] => {
  if (cause !== null) return [startupErrorText(cause)];
  return reason === null ? [] : [reason];
};

/** The outcome of a reload for its requester. `count`: reloads applied so far. */
const reloadOutcome = (reloaded: Result<void, LoadFailure>, count: number): ReloadOutcome => {
  if (reloaded.ok) return { kind: 'reloaded', count };
  const errors = reloaded.error.problems.filter(({ severity }) => severity === 'error').map(formatProblem);
  return { kind: 'refused', problems: [...errors, ...reasonOf(reloaded.error)] };
};

export interface SignalledGateway {
  readonly signals: WatchedSignals;
  readonly upgrade: UpgradeProgram;
  /** Null without a service manager. */
  readonly manager: ServiceManager | null;
  readonly logger: Logger;
  /** Reload requests from the admin address. */
  readonly reloadRequests: ReloadRequests;
  /** Number of applied reloads. */
  reloadCount(): number;
  /**
   * The predecessor received a reload request during the replacement and left it to this program.
   */
  readonly isReloadLeft: boolean;
  /** Called when the shutdown begins. */
  ending(): void;
}

/** Status text for the service manager. */
export const servingStatus = (gateway: Pick<RunningGateway, 'addressesNow' | 'unservedMs'>): string => {
  if (gateway.unservedMs() > 0) return 'No worker serves';
  return `Serves on ${[...gateway.addressesNow().listeners.values()].map(socketAddressText).join(', ')}`;
};

/** Serves until a signal or until a successor has taken over, then drains. */
export const serveUntilSignal = async (gateway: RunningGateway, parts: SignalledGateway): Promise<void> => {
  const { signals, upgrade, manager, logger, reloadRequests } = parts;
  let isEnding = false;
  const ignore = (signal: NodeJS.Signals): void =>
    logger.warn(`${signal} has no effect: the gateway drains`, { signal });
  signals.onIgnored(ignore);
  /** All reloads started so far. */
  let reloaded: Promise<unknown> = Promise.resolve();
  const load = (): Promise<ReloadOutcome> => {
    const outcome = reload(gateway, parts);
    reloaded = Promise.allSettled([reloaded, outcome]);
    return outcome;
  };
  if (parts.isReloadLeft) {
    logger.info('reloading the configuration: the previous program left this request');
    void load();
  }
  signals.onReload(() => {
    if (isEnding) ignore('SIGHUP');
    else void load();
  });
  reloadRequests.serveWith(async () => (isEnding ? { kind: 'not_now', reason: 'The gateway drains.' } : load()));
  const replaced = new Promise<null>((resolve) => {
    signals.onUpgrade(() => {
      void upgrade.upgrade(reloaded).then((isReplaced) => {
        if (isReplaced) resolve(null);
        // A second upgrade request is refused during the first one.
        else if (!isEnding && !upgrade.isUnderway && !upgrade.isReplaced && upgrade.takeReload()) void load();
      });
    });
  });
  const signal = await Promise.race([signals.ended, replaced]);
  isEnding = true;
  parts.ending();
  // From here on only a successor notifies the service manager.
  if (signal === null) logger.info('the gateway drains: another process has taken over');
  else {
    manager?.stopping();
    logger.info('the gateway drains', { signal });
  }
  const abandoned = signal === null ? null : upgrade.abandon();
  await gateway.stop(undefined, signal === null);
  await abandoned;
  logger.info('the gateway has ended');
};

const reload = async (gateway: RunningGateway, parts: SignalledGateway): Promise<ReloadOutcome> => {
  const { upgrade, manager, logger } = parts;
  if (upgrade.isReplaced) return { kind: 'not_now', reason: 'Another process has taken over.' };
  if (upgrade.isUnderway) {
    // The successor may have read the file already.
    upgrade.requestReload();
    logger.info('the configuration will be reloaded after the upgrade');
    return { kind: 'after_upgrade' };
  }
  manager?.reloading();
  const reloaded = await gateway.reload();
  if (!reloaded.ok) logReloadFailure(reloaded.error, logger);
  // If there is a successor, it is now the main process.
  if (!upgrade.isReplaced) manager?.ready(servingStatus(gateway));
  return reloadOutcome(reloaded, parts.reloadCount());
};
