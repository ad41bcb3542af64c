import { describe, expect, it } from 'vitest';
import { UpgradeProgram } from '../../../../src/application/gateway/upgrade/upgrade-program.js';
import { ReloadRequests } from '../../../../src/application/gateway/workers/aggregate/gathering-topics.js';
import type { SuccessorOutcome } from '../../../../src/application/ports/gateway/successor-launcher.js';
import { handedChanges } from '../../../../src/bootstrap/gateway/run-gateway.js';
import { serveUntilSignal } from '../../../../src/bootstrap/gateway/serve-until-signal.js';
import { ok } from '../../../../src/domain/shared/result.js';
import { ManualClock } from '../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';

const serving = (isReloadLeft = false) => {
  const happened: string[] = [];
  const actions = { reload: () => {}, upgrade: () => {}, end: (_: NodeJS.Signals) => {} };
  const signals = {
    ended: new Promise<NodeJS.Signals>((resolve) => {
      actions.end = resolve;
    }),
    onReload: (action: () => void) => {
      actions.reload = action;
    },
    onUpgrade: (action: () => void) => {
      actions.upgrade = action;
    },
    onIgnored: () => undefined,
  };
  const addresses = { listeners: new Map(), admin: null };
  const gateway = {
    addresses,
    addressesNow: () => addresses,
    reload: async () => {
      happened.push('reload');
      return ok(undefined);
    },
    stop: async () => void happened.push('stop'),
    unservedMs: () => 0,
    kill: () => undefined,
    drainedTargets: () => [],
  };
  let settle: (outcome: SuccessorOutcome) => void = () => undefined;
  const logger = new RecordingLogger();
  const launch = () => ({
    pid: 7,
    outcome: new Promise<SuccessorOutcome>((resolve) => {
      settle = resolve;
    }),
    ended: Promise.resolve(),
    abandon: () => undefined,
    kill: () => undefined,
  });
  const upgrade = new UpgradeProgram({ launch }, new ManualScheduler(new ManualClock()), logger, true);
  const reloadRequests = new ReloadRequests();
  const ended = serveUntilSignal(gateway, {
    signals,
    upgrade,
    manager: null,
    logger,
    reloadRequests,
    reloadCount: () => 1,
    isReloadLeft,
    ending: () => void happened.push('ending'),
  });
  return { actions, ended, happened, logger, reloadRequests, upgrade, settle: (o: SuccessorOutcome) => settle(o) };
};

describe('a reload that is wanted while the program is being replaced', () => {
  it('is done once, by this process, where the upgrade fails', async () => {
    const { actions, ended, happened, logger, reloadRequests, settle } = serving();
    actions.upgrade();
    await settled();
    actions.reload();
    expect(await reloadRequests.request()).toEqual({ kind: 'after_upgrade' });
    expect(happened).toEqual([]);
    expect(logger.lines.map(({ message }) => message)).toContain(
      'the configuration will be reloaded after the upgrade',
    );
    // A second wish to upgrade is refused, which ends nothing.
    actions.upgrade();
    await settled();
    expect(happened).toEqual([]);
    settle({ kind: 'failed', reason: 'it ended with exit code 1' });
    await settled();
    expect(happened).toEqual(['reload']);
    actions.end('SIGTERM');
    await ended;
    expect(happened).toEqual(['reload', 'ending', 'stop']);
  });

  it('is left to the successor where that takes over', async () => {
    const { actions, ended, happened, settle, upgrade } = serving();
    actions.upgrade();
    await settled();
    actions.reload();
    await settled();
    const left = handedChanges({ undrained: [], drained: [], reload: upgrade.takeReload() });
    expect(left.reload).toBe(true);
    settle({ kind: 'serves' });
    await ended;
    expect(happened).toEqual(['ending', 'stop']);

    const successor = serving(left.reload);
    await settled();
    expect(successor.happened).toEqual(['reload']);
  });

  it('is none of a program whose predecessor says nothing of it', () => {
    for (const changes of [null, {}, { reload: 'yes' }]) expect(handedChanges(changes).reload).toBe(false);
  });
});
