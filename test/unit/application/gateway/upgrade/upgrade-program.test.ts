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

/** A launcher whose successors behave as the test says. */
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

describe('an upgrade', () => {
  it('ends when the successor serves, and leaves it alone', async () => {
    const replaced = upgrade.upgrade();
    expect(upgrade.isUnderway).toBe(true);
    launcher.outcome({ kind: 'serves' });
    expect(await replaced).toBe(true);
    expect(launcher.calls).toEqual(['launch']);
    expect(scheduler.waiting).toBe(0);
    expect(upgrade).toMatchObject({ isUnderway: false, isReplaced: true });
  });

  it('is refused after a replacement, because the sockets belong to the successor', async () => {
    const replaced = upgrade.upgrade();
    launcher.outcome({ kind: 'serves' });
    await replaced;
    expect(await upgrade.upgrade()).toBe(false);
    expect(launcher.calls).toEqual(['launch']);
    expect(errors()).toEqual(['the program is being replaced already']);
  });

  it('keeps the program if the successor fails, logs the reason, and can be tried again', async () => {
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

  it('times out if the successor reports nothing', async () => {
    const replaced = upgrade.upgrade();
    await scheduler.advance(successorTimeoutMs - 1);
    expect(launcher.calls).toEqual(['launch']);
    await scheduler.advance(1);
    expect(await replaced).toBe(false);
    expect(launcher.calls).toEqual(['launch', 'kill']);
    expect(errors()).toEqual([expect.stringContaining('did not serve within 60 s')]);
  });

  it('keeps the program if no process can be started', async () => {
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

  it('ends its successor when the program ends, and starts no other', async () => {
    const replaced = upgrade.upgrade();
    const abandoned = upgrade.abandon();
    expect(launcher.calls).toEqual(['launch', 'abandon']);
    // The successor drains its connections, so it is not killed.
    launcher.outcome({ kind: 'serves' });
    expect(await replaced).toBe(false);
    expect(await upgrade.upgrade()).toBe(false);
    await abandoned;
    await scheduler.advance(abandonedTimeoutMs);
    expect(launcher.calls).toEqual(['launch', 'abandon']);
  });

  it('waits for the end of an abandoned successor, and kills one that hangs', async () => {
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

  it('does not kill an abandoned successor that ends by itself', async () => {
    void upgrade.upgrade();
    const abandoned = upgrade.abandon();
    launcher.end();
    await abandoned;
    expect(launcher.calls).toEqual(['launch', 'abandon']);
    expect(scheduler.waiting).toBe(1);
  });

  it('waits for the reload in progress, because that opens sockets', async () => {
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

  it('starts no successor if the program ends before the reload', async () => {
    const replaced = upgrade.upgrade(Promise.resolve());
    await upgrade.abandon();
    expect(await replaced).toBe(false);
    expect(launcher.calls).toEqual([]);
  });

  it('is refused for the first process of a container, with advice', async () => {
    const first = new UpgradeProgram(launcher, scheduler, logger, false);
    expect(await first.upgrade()).toBe(false);
    expect(launcher.calls).toEqual([]);
    expect(errors()).toEqual([expect.stringContaining('replace the container')]);
  });
});
