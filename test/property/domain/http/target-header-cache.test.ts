import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCidrs } from '../../../../src/domain/http/cidr-set.js';
import { ConnectionHeaderCache } from '../../../../src/domain/http/connection-header-cache.js';

const compiled = compileCidrs([]);
if (!compiled.ok) throw new Error(compiled.error);
const trusted = compiled.value;

// Lists that say the same are others all the same: only the very list is known again.
const lists = [
  ['Host', 'a'],
  ['Host', 'a'],
  ['Host', 'b'],
];
const requests = fc.array(
  fc.record({
    method: fc.constantFrom('GET', 'PUT'),
    target: fc.constantFrom('/', '/a', '/a?b', `/${'x'.repeat(1_023)}`, `/${'x'.repeat(1_024)}`),
    list: fc.integer({ min: 0, max: lists.length - 1 }),
    isAgain: fc.boolean(),
  }),
  { maxLength: 60 },
);
const newPeer = (): ConnectionHeaderCache =>
  new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme: 'http' }, trusted);

describe('what is known of a target', () => {
  it('is what was found out of a request with the same method, target and list', () => {
    fc.assert(
      fc.property(requests, (all) => {
        const peer = newPeer();
        for (const { method, target, list, isAgain } of all) {
          const headers = lists[list] as string[];
          const known = peer.knownTarget(method, target, headers);
          const resolved = { path: `${method} ${target}`, query: null, host: null, authority: String(list) };
          if (known !== null) expect(known.resolved).toEqual(resolved);
          else if (isAgain) peer.rememberTarget(method, target, headers, resolved);
        }
      }),
    );
  });

  it('is known from the third request on that asks for the same, and until another one is asked for twice', () => {
    const peer = newPeer();
    const [headers] = lists as [string[]];
    const resolved = { path: '/a', query: null, host: 'a', authority: 'a' };
    const ask = (target: string): boolean => {
      if (peer.knownTarget('GET', target, headers) !== null) return true;
      peer.rememberTarget('GET', target, headers, resolved);
      return false;
    };
    expect(['/a', '/a', '/a', '/b', '/a', '/b', '/b', '/b', '/a'].map(ask)).toEqual(
      // What was remembered is not looked at in vain by others that come between.
      [false, false, true, false, true, false, true, true, false],
    );
    const long = `/${'x'.repeat(1_024)}`;
    expect([long, long, long].map(ask)).toEqual([false, false, false]);
    // Of both, because either may be long.
    const method = 'M'.repeat(1_024);
    const askSo = (target: string): boolean => {
      if (peer.knownTarget(method, target, headers) !== null) return true;
      peer.rememberTarget(method, target, headers, resolved);
      return false;
    };
    expect(['/m', '/m', '/m'].map(askSo)).toEqual([false, false, false]);
  });

  it('has a route among those that it was found among, and no others', () => {
    const places = fc.array(fc.record({ routes: fc.integer({ min: 0, max: 2 }), place: fc.nat(9) }), { maxLength: 20 });
    fc.assert(
      fc.property(places, (all) => {
        const peer = newPeer();
        const resolved = { path: '/', query: null, host: null, authority: '' };
        peer.rememberTarget('GET', '/', [], resolved);
        const known = peer.rememberTarget('GET', '/', [], resolved);
        const tables = [{}, {}, {}];
        expect(tables.map((routes) => known?.routeAmong(routes))).toEqual([-1, -1, -1]);
        for (const { routes, place } of all) {
          known?.rememberRoute(tables[routes] as object, place);
          expect(tables.map((other) => known?.routeAmong(other))).toEqual(
            [0, 1, 2].map((other) => (other === routes ? place : -1)),
          );
        }
      }),
    );
  });
});
