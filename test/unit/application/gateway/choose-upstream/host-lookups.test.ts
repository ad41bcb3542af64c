import { describe, expect, it } from 'vitest';
import { tcpAddress } from '../../../../support/gateway/tcp-address.js';
import { anybody, chosenOf, TargetsWorld, upstreamOf, visit } from '../../../../support/gateway/upstream-targets.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const named = upstreamOf(['api.example:80']);

const addressesOf = (targets: ReturnType<TargetsWorld['open']>): string[] =>
  targets.statuses().map(({ address }) => address);

describe('the names of targets', () => {
  it('are looked up at the start, and every address is used', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1', '2001:db8::1');
    const targets = world.open(named);
    expect(targets.hasChoice).toBe(false);
    await targets.start();
    expect(targets.hasChoice).toBe(true);
    expect(new Set([visit(targets), visit(targets)])).toEqual(new Set(['10.0.0.1:80', '[2001:db8::1]:80']));
    expect(targets.statuses()[0]).toMatchObject({ address: '10.0.0.1:80', name: 'api.example:80' });
    expect(world.clients.made[0]?.settings).toMatchObject({
      address: { host: '10.0.0.1', port: 80 },
      authority: 'api.example:80',
    });
  });

  it('are not looked up if they are IP addresses', async () => {
    const world = new TargetsWorld();
    await world.open(upstreamOf(['10.0.0.1:80', '::1:80'])).start();
    expect(world.resolver.asked).toEqual([]);
    expect(world.scheduler.waiting).toBe(0);
  });

  it('are looked up once if several targets share one', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1');
    const targets = world.open(upstreamOf(['api.example:80', 'api.example:81']));
    await targets.start();
    expect(world.resolver.asked).toEqual(['api.example']);
    expect(addressesOf(targets)).toEqual(['10.0.0.1:80', '10.0.0.1:81']);
  });

  it('delay the start by at most two seconds', async () => {
    const world = new TargetsWorld();
    world.resolver.isSilent = true;
    world.resolver.set('api.example', '10.0.0.1');
    const targets = world.open(named);
    let hasStarted = false;
    void targets.start().then(() => {
      hasStarted = true;
    });
    await world.scheduler.advance(1_999);
    expect(hasStarted).toBe(false);
    await world.scheduler.advance(1);
    expect(hasStarted).toBe(true);
    expect(targets.choose(anybody)).toEqual({ kind: 'unresolved', detail: 'api.example: not looked up yet' });
    world.resolver.answer();
    await settled();
    expect(visit(targets)).toBe('10.0.0.1:80');
  });

  it('without an address are looked up again sooner, and give no choice until they have one', async () => {
    const world = new TargetsWorld();
    const targets = world.open(named);
    await targets.start();
    expect(targets.choose(anybody)).toEqual({ kind: 'unresolved', detail: 'api.example: ENOTFOUND' });
    const sinceMs = world.clock.wallMs();
    world.clock.advance(500);
    expect(targets.statuses()).toMatchObject([
      { address: 'api.example:80', healthy: false, lastError: 'api.example: ENOTFOUND', unhealthySinceMs: sinceMs },
    ]);
    await world.scheduler.advance(500);
    await world.scheduler.advance(2_000);
    expect(world.resolver.asked).toHaveLength(3);
    world.resolver.set('api.example', '10.0.0.1');
    await world.scheduler.advance(4_000);
    expect(visit(targets)).toBe('10.0.0.1:80');
    // One line for the failure, and one for the recovery.
    expect(world.logger.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('of targets without weight do not hide that the others have no address', async () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(['api.example:80 1', '10.0.0.1:80 0']));
    await targets.start();
    expect(targets.choose(anybody)).toEqual({ kind: 'unresolved', detail: 'api.example: ENOTFOUND' });
  });

  it('are looked up periodically, and a failed lookup keeps their addresses', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1');
    const targets = world.open(named);
    await targets.start();
    world.resolver.lose('api.example');
    await world.scheduler.advance(30_000);
    expect(world.resolver.asked.length).toBeGreaterThan(1);
    expect(visit(targets)).toBe('10.0.0.1:80');
    world.resolver.set('api.example');
    await world.scheduler.advance(30_000);
    expect(visit(targets)).toBe('10.0.0.1:80');
    world.resolver.set('api.example', '10.0.0.2');
    await world.scheduler.advance(30_000);
    expect(addressesOf(targets)).toEqual(['10.0.0.2:80']);
  });

  it('keep their addresses over a reload while lookups fail', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1');
    const before = world.open(named);
    await before.start();
    world.resolver.lose('api.example');
    const now = world.open(named);
    await now.start();
    await before.close(0);
    expect(visit(now)).toBe('10.0.0.1:80');
  });

  it('with too many addresses lose the rest, which is logged', async () => {
    const world = new TargetsWorld();
    world.resolver.set(
      'api.example',
      ...Array.from({ length: 300 }, (_, index) => `10.0.${index >> 8}.${index & 255}`),
    );
    const targets = world.open(named);
    await targets.start();
    expect(targets.statuses()).toHaveLength(256);
    expect(world.logger.lines).toMatchObject([{ level: 'warn', fields: { count: 300 } }]);
  });

  it('are not looked up after the targets close, even with a lookup in progress', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1');
    world.resolver.isSilent = true;
    const targets = world.open(named);
    const started = targets.start();
    await targets.close(0);
    world.resolver.answer();
    await started;
    await world.scheduler.advance(100_000);
    expect(world.resolver.asked).toHaveLength(1);
    expect(world.clients.made).toEqual([]);
    expect(world.ledgers.size).toBe(0);
  });
});

describe('an address that disappears', () => {
  const changed = async (world: TargetsWorld, ...addresses: string[]): Promise<void> => {
    world.resolver.set('api.example', ...addresses);
    await world.scheduler.advance(33_000);
  };

  const opened = async (world: TargetsWorld) => {
    world.resolver.set('api.example', '10.0.0.1');
    const targets = world.open(named);
    await targets.start();
    return targets;
  };

  it('gets no new requests, finishes its exchanges, and is closed then', async () => {
    const world = new TargetsWorld();
    const targets = await opened(world);
    const one = chosenOf(targets.choose(anybody));
    const other = chosenOf(targets.choose(anybody));
    await changed(world, '10.0.0.2');
    expect([visit(targets), visit(targets)]).toEqual(['10.0.0.2:80', '10.0.0.2:80']);
    one.ended('success');
    expect(world.clients.at('10.0.0.1', 80)?.closes).toEqual([]);
    other.ended('success');
    expect(world.clients.at('10.0.0.1', 80)?.closes).toEqual([0]);
    await targets.close(1_000);
    expect(world.clients.at('10.0.0.1', 80)?.closes).toEqual([0]);
  });

  it('is closed at once if it is idle, and returns with its ledger', async () => {
    const world = new TargetsWorld();
    const targets = await opened(world);
    visit(targets);
    const first = world.clients.at('10.0.0.1', 80);
    await changed(world, '10.0.0.2');
    expect(first?.closes).toEqual([0]);
    await changed(world, '10.0.0.1');
    expect(world.clients.at('10.0.0.1', 80)).not.toBe(first);
    expect(targets.statuses()[0]?.totalRequests).toBe(1);
  });

  it('keeps its connections if it returns before its exchanges end', async () => {
    const world = new TargetsWorld();
    const targets = await opened(world);
    const target = chosenOf(targets.choose(anybody));
    await changed(world, '10.0.0.2');
    await changed(world, '10.0.0.1');
    target.ended('success');
    expect(visit(targets)).toBe('10.0.0.1:80');
    expect(world.clients.made.filter(({ settings }) => tcpAddress(settings.address).host === '10.0.0.1')).toHaveLength(
      1,
    );
    expect(world.clients.at('10.0.0.1', 80)?.closes).toEqual([]);
  });

  it('is closed with the others when the targets close', async () => {
    const world = new TargetsWorld();
    const targets = await opened(world);
    const target = chosenOf(targets.choose(anybody));
    await changed(world, '10.0.0.2');
    await targets.close(1_000);
    target.ended('failure');
    expect(world.clients.made.map(({ closes }) => closes)).toEqual([[1_000], [1_000]]);
  });

  it('leaves a bounded number of ledgers behind', async () => {
    const world = new TargetsWorld();
    const targets = await opened(world);
    for (let time = 0; time < 400; time += 1) await changed(world, `10.1.${time >> 8}.${time & 255}`);
    expect(world.ledgers.size).toBeLessThanOrEqual(256 + 2);
    expect(world.clients.made.filter(({ closes }) => closes.length === 0)).toHaveLength(1);
    await targets.close(0);
    expect(world.ledgers.size).toBe(0);
  });
});
