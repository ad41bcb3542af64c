import { beforeEach, describe, expect, it } from 'vitest';
import type { SuccessorOutcome } from '../../../../src/application/ports/successor-launcher.js';
import { successorPatienceMs, UpgradeProgram } from '../../../../src/application/upgrade-program/upgrade-program.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { ManualScheduler, settled } from '../../../support/manual-scheduler.js';
import { RecordingLogger } from '../../../support/recording-logger.js';

/** A launcher whose successors do what the test has them do. */
class FakeLauncher {
  readonly calls: string[] = [];
  refuses = false;
  outcome: (outcome: SuccessorOutcome) => void = () => undefined;

  launch() {
    if (this.refuses) throw new Error('no process could be started');
    this.calls.push('launch');
    const outcome = new Promise<SuccessorOutcome>((resolve) => {
      this.outcome = resolve;
    });
    return { pid: 7, outcome, end: () => void this.calls.push('end'), kill: () => void this.calls.push('kill') };
  }
}

let launcher: FakeLauncher;
let scheduler: ManualScheduler;
let logger: RecordingLogger;
let upgrade: UpgradeProgram;
beforeEach(() => {
  launcher = new FakeLauncher();
  scheduler = new ManualScheduler(new ManualClock());
  logger = new RecordingLogger();
  upgrade = new UpgradeProgram(launcher, scheduler, logger, true);
});

const errors = () => logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);

describe('a program that is to be replaced', () => {
  it('goes once its successor serves, and lets that be', async () => {
    const replaced = upgrade.upgrade();
    expect(upgrade.isUnderway).toBe(true);
    launcher.outcome({ kind: 'serves' });
    expect(await replaced).toBe(true);
    expect(launcher.calls).toEqual(['launch']);
    expect(scheduler.waiting).toBe(0);
    expect(upgrade).toMatchObject({ isUnderway: false, isReplaced: true });
  });

  it('starts no other once it was replaced: its sockets are no longer its own', async () => {
    const replaced = upgrade.upgrade();
    launcher.outcome({ kind: 'serves' });
    await replaced;
    expect(await upgrade.upgrade()).toBe(false);
    expect(launcher.calls).toEqual(['launch']);
    expect(errors()).toEqual(['the program is being replaced already']);
  });

  it('goes on where its successor fails, says why, and may be replaced later', async () => {
    const replaced = upgrade.upgrade();
    launcher.outcome({ kind: 'failed', reason: 'it ended with exit code 1' });
    expect(await replaced).toBe(false);
    expect(launcher.calls).toEqual(['launch', 'kill']);
    expect(upgrade.isReplaced).toBe(false);
    expect(errors()).toEqual([expect.stringContaining('it ended with exit code 1')]);
    const again = upgrade.upgrade();
    launcher.outcome({ kind: 'serves' });
    expect(await again).toBe(true);
  });

  it('does not wait for ever for a successor that says nothing', async () => {
    const replaced = upgrade.upgrade();
    await scheduler.advance(successorPatienceMs - 1);
    expect(launcher.calls).toEqual(['launch']);
    await scheduler.advance(1);
    expect(await replaced).toBe(false);
    expect(launcher.calls).toEqual(['launch', 'kill']);
    expect(errors()).toEqual([expect.stringContaining('did not serve within 60 s')]);
  });

  it('goes on where no process can be started', async () => {
    launcher.refuses = true;
    expect(await upgrade.upgrade()).toBe(false);
    expect(errors()).toEqual([expect.stringContaining('no process could be started')]);
    expect(upgrade.isUnderway).toBe(false);
  });

  it('has one successor at a time', async () => {
    const replaced = upgrade.upgrade();
    expect(await upgrade.upgrade()).toBe(false);
    expect(errors()).toEqual(['the program is being replaced already']);
    expect(launcher.calls).toEqual(['launch']);
    launcher.outcome({ kind: 'serves' });
    expect(await replaced).toBe(true);
  });

  it('takes its successor along where it is told to end meanwhile, and starts no other', async () => {
    const replaced = upgrade.upgrade();
    upgrade.abandon();
    expect(launcher.calls).toEqual(['launch', 'end']);
    launcher.outcome({ kind: 'serves' });
    expect(await replaced).toBe(false);
    expect(await upgrade.upgrade()).toBe(false);
    await settled();
    expect(launcher.calls).toEqual(['launch', 'end']);
  });

  it('stays where it is the first process of a container, and says what to do instead', async () => {
    const first = new UpgradeProgram(launcher, scheduler, logger, false);
    expect(await first.upgrade()).toBe(false);
    expect(launcher.calls).toEqual([]);
    expect(errors()).toEqual([expect.stringContaining('replace the container')]);
  });
});
