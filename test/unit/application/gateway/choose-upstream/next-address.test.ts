import { describe, expect, it } from 'vitest';
import { anybody, chosenOf, TargetsWorld, upstreamOf } from '../../../../support/gateway/upstream-targets.js';

const targetsOf = async (addresses: Readonly<Record<string, readonly string[]>>, targets: readonly string[]) => {
  const world = new TargetsWorld();
  for (const [host, list] of Object.entries(addresses)) world.resolver.set(host, ...list);
  const upstream = world.open(
    upstreamOf(targets, { targetBreaker: { failureThreshold: 1, openMs: 30_000, probes: 1 } }),
  );
  await upstream.start();
  return { world, upstream };
};

const four = { 'shop.test': ['10.0.0.1', '10.0.0.2', '2001:db8::1', '10.0.0.3'] };

describe('the next address of a name', () => {
  it('follows RFC 8305, and ends after the last address', async () => {
    const { upstream } = await targetsOf(four, ['shop.test:80']);
    const first = chosenOf(upstream.choose(anybody));
    const tried = [first.address];
    for (let next = first.next({ ...anybody, tried }, true); next !== null; ) {
      tried.push(next.address);
      next = first.next({ ...anybody, tried }, true);
    }
    expect(tried).toEqual(['10.0.0.1:80', '[2001:db8::1]:80', '10.0.0.2:80', '10.0.0.3:80']);
  });

  it('is none of another name', async () => {
    const { upstream } = await targetsOf({ 'one.test': ['10.0.0.1'], 'two.test': ['10.0.0.2'] }, [
      'one.test:80',
      'two.test:80',
    ]);
    const first = chosenOf(upstream.choose(anybody));
    expect(first.hasSiblings).toBe(false);
    expect(first.next({ ...anybody, tried: [first.address] }, true)).toBeNull();
  });

  it('is that of any name of a shared address', async () => {
    const { upstream } = await targetsOf({ 'one.test': ['10.0.0.1'], 'two.test': ['10.0.0.1', '10.0.0.2'] }, [
      'one.test:80',
      'two.test:80',
    ]);
    const first = chosenOf(upstream.choose(anybody));
    const next = first.next({ ...anybody, tried: [first.address] }, true);
    expect([first.address, next?.address].toSorted()).toEqual(['10.0.0.1:80', '10.0.0.2:80']);
  });

  it('skips addresses that are drained or ejected', async () => {
    const { upstream } = await targetsOf(four, ['shop.test:80']);
    const first = chosenOf(upstream.choose(anybody));
    first.next({ ...anybody, tried: [first.address] }, true)?.ended('failure');
    upstream.drain('10.0.0.2:80');
    expect(first.next({ ...anybody, tried: [first.address] }, true)?.address).toBe('10.0.0.3:80');
  });

  it('skips an address that the name has lost', async () => {
    const { world, upstream } = await targetsOf({ 'shop.test': ['10.0.0.1', '10.0.0.2'] }, ['shop.test:80']);
    const first = chosenOf(upstream.choose(anybody));
    world.resolver.set('shop.test', '10.0.0.1', '10.0.0.3');
    await world.scheduler.advance(60_000);
    expect(first.next({ ...anybody, tried: [first.address] }, true)?.address).toBe('10.0.0.3:80');
  });

  it('has a free connection, unless every address is busy and the request may queue', async () => {
    const { world, upstream } = await targetsOf({ 'shop.test': ['10.0.0.1', '10.0.0.2', '10.0.0.3'] }, [
      'shop.test:80',
    ]);
    const first = chosenOf(upstream.choose(anybody));
    const next = (mayQueue: boolean) => first.next({ ...anybody, tried: [first.address] }, mayQueue)?.address;
    const busy = (host: string): void => {
      const client = world.clients.at(host, 80);
      if (client !== undefined) client.isFull = true;
    };
    busy('10.0.0.2');
    expect(next(true)).toBe('10.0.0.3:80');
    busy('10.0.0.3');
    expect(next(false)).toBeUndefined();
    expect(next(true)).toBe('10.0.0.2:80');
  });

  it('brings its own sticky cookie', async () => {
    const world = new TargetsWorld();
    world.resolver.set('shop.test', '10.0.0.1', '10.0.0.2');
    const upstream = world.open(upstreamOf(['shop.test:80'], { stickyCookie: { name: 'at', maxAgeMs: null } }));
    await upstream.start();
    const first = chosenOf(upstream.choose(anybody));
    const next = first.next({ ...anybody, tried: [first.address] }, true);
    expect(next?.responseHeaders[0]).toBe('Set-Cookie');
    expect(next?.responseHeaders[1]).not.toBe(first.responseHeaders[1]);
  });
});
