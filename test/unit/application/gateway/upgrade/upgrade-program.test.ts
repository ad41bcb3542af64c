import { beforeEach, describe, expect, it } from 'vitest';
import {
  abandonedTimeoutMs,
  successorTimeoutMs,
  UpgradeProgram,
} from '../../../../../src/application/gateway/upgrade/upgrade-program.js';
import type { SuccessorOutcome } from '../../../../../src/application/ports/gateway/successor-launcher.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

/** A launcher whose successors do what the test has them do. */
class FakeLauncher {
  readonly calls: string[] = [];
  refuses = false;
  outcome: (outcome: SuccessorOutcome) => void = () => undefined;
  end: () => void = () => undefined;

  launch() {
    if (this.refuses) throw new Error('no process could be started');
    this.calls.push('launch');
    const outcome = new Promise<SuccessorOutcome>((resolve) => {
      this.outcome = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      this.end = resolve;
    });
    return {
      pid: 7,
      outcome,
      ended,
      abandon: () => void this.calls.push('abandon'),
      kill: () => {
        this.calls.push('kill');
        this.end();
      },
    };
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
    await scheduler.advance(successorTimeoutMs - 1);
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
    const abandoned = upgrade.abandon();
    expect(launcher.calls).toEqual(['launch', 'abandon']);
    // It drains what it has accepted: nobody kills it for that.
    launcher.outcome({ kind: 'serves' });
    expect(await replaced).toBe(false);
    expect(await upgrade.upgrade()).toBe(false);
    await abandoned;
    await scheduler.advance(abandonedTimeoutMs);
    expect(launcher.calls).toEqual(['launch', 'abandon']);
  });

  it('waits for the end of the successor that it takes along, and kills one that hangs', async () => {
    void upgrade.upgrade();
    let isOver = false;
    const abandoned = upgrade.abandon().then(() => {
      isOver = true;
    });
    await scheduler.advance(abandonedTimeoutMs - 1);
    expect([launcher.calls, isOver]).toEqual([['launch', 'abandon'], false]);
    await scheduler.advance(1);
    await abandoned;
    expect(launcher.calls).toEqual(['launch', 'abandon', 'kill']);
  });

  it('does not kill a successor that ends by itself when it is told to', async () => {
    void upgrade.upgrade();
    const abandoned = upgrade.abandon();
    launcher.end();
    await abandoned;
    expect(launcher.calls).toEqual(['launch', 'abandon']);
    expect(scheduler.waiting).toBe(1);
  });

  it('has its successor wait for the reload that is under way: that opens sockets', async () => {
    let reloaded: () => void = () => undefined;
    const replaced = upgrade.upgrade(
      new Promise<void>((resolve) => {
        reloaded = resolve;
      }),
    );
    await settled();
    expect([launcher.calls, upgrade.isUnderway]).toEqual([[], true]);
    reloaded();
    await settled();
    expect(launcher.calls).toEqual(['launch']);
    launcher.outcome({ kind: 'serves' });
    expect(await replaced).toBe(true);
  });

  it('starts no successor where it is told to end before the reload is over', async () => {
    const replaced = upgrade.upgrade(Promise.resolve());
    await upgrade.abandon();
    expect(await replaced).toBe(false);
    expect(launcher.calls).toEqual([]);
  });

  it('stays where it is the first process of a container, and says what to do instead', async () => {
    const first = new UpgradeProgram(launcher, scheduler, logger, false);
    expect(await first.upgrade()).toBe(false);
    expect(launcher.calls).toEqual([]);
    expect(errors()).toEqual([expect.stringContaining('replace the container')]);
  });
});
