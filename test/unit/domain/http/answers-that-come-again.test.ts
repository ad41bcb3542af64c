import { describe, expect, it } from 'vitest';
import { compileCidrs } from '../../../../src/domain/http/cidr-set.js';
import { ConnectionHeaderCache } from '../../../../src/domain/http/connection-header-cache.js';
import type { HeaderList } from '../../../../src/domain/http/header-list.js';
import { RepeatedHeaderCache } from '../../../../src/domain/http/repeated-header-cache.js';

const nobody = compileCidrs([]);
if (!nobody.ok) throw new Error(nobody.error);
const trusted = nobody.value;
const newPeer = (): ConnectionHeaderCache =>
  new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme: 'http' }, trusted);

const kept: HeaderList = ['Accept', 'a', 'X-Correlation-Id', 'c-1'];
const at = 3;
/** As the kept fields, and more. */
const made = (...names: readonly string[]): HeaderList => [
  ...kept,
  ...names.flatMap((name) => [name, 'x'.repeat(2_000)]),
];

/** What an answer makes of a list. */
interface Step {
  readonly answer: object;
  readonly from: HeaderList;
  readonly to: HeaderList;
}

const remember = (peer: ConnectionHeaderCache, { answer, from, to }: Step): void =>
  peer.rememberOperated(RepeatedHeaderCache.of(from, at, 'c-1'), answer, to);

/** Of which steps it is known what they make of a list of the next request. */
const told = (peer: ConnectionHeaderCache, steps: readonly Step[]): readonly boolean[] =>
  steps.map(({ answer, from, to }) => {
    const found = peer.operated(RepeatedHeaderCache.of(from, at, 'c-2'), answer);
    if (found !== null) expect([found.fields, found.kept, found.at]).toEqual([to.with(at, 'c-2'), to, at]);
    return found !== null;
  });

describe('what answers make of fields that come again', () => {
  it('is known of several agents, each of which sees what the one before has made', () => {
    const [first, second] = [made('A'), made('A', 'B')];
    const steps = [
      { answer: {}, from: kept, to: first },
      { answer: {}, from: first, to: second },
    ];
    const peer = newPeer();
    expect(told(peer, steps)).toEqual([false, false]);
    for (const step of steps) remember(peer, step);
    expect(told(peer, steps)).toEqual([true, true]);
    // The very answer, to the very list.
    expect(told(peer, [{ ...(steps[0] as Step), from: second }])).toEqual([false]);
    expect(told(peer, [{ ...(steps[0] as Step), answer: {} }])).toEqual([false]);
  });

  it('is forgotten where more than 8192 characters would be kept', () => {
    const steps = ['A', 'B', 'C', 'D'].map((name) => ({ answer: {}, from: kept, to: made(name, `${name}2`) }));
    const peer = newPeer();
    const after = steps.map((step) => {
      remember(peer, step);
      return told(peer, steps);
    });
    expect(after).toEqual([
      [true, false, false, false],
      [true, true, false, false],
      [false, false, true, false],
      [false, false, true, true],
    ]);
  });

  it('is forgotten where a fifth answer is to be remembered', () => {
    const steps = Array.from({ length: 5 }, (_, index) => ({
      answer: {},
      from: kept,
      to: [...kept, 'X-User-Id', String(index)],
    }));
    const peer = newPeer();
    for (const step of steps.slice(0, 4)) remember(peer, step);
    expect(told(peer, steps)).toEqual([true, true, true, true, false]);
    remember(peer, steps[4] as Step);
    expect(told(peer, steps)).toEqual([false, false, false, false, true]);
  });

  it('is forgotten with the fields that went on, once others do', () => {
    const peer = newPeer();
    const step = { answer: {}, from: kept, to: made('A') };
    peer.rememberGoingOn(['Accept', 'a'], null, null, kept);
    remember(peer, step);
    expect(told(peer, [step])).toEqual([true]);
    peer.rememberGoingOn(['Accept', 'b'], null, null, ['Accept', 'b', 'X-Correlation-Id', 'c-1']);
    expect(told(peer, [step])).toEqual([false]);
  });

  it.each([
    ['has moved the value', ['X-Correlation-Id', 'c-1', 'Accept', 'a']],
    ['has another value there', kept.with(at, 'c-9')],
    ['has the value under another name', kept.with(at - 1, 'X-Other-Id')],
    ['has no value there', ['X-Correlation-Id', 'c-1']],
    ['is long', [...kept, 'A', 'x'.repeat(8_192)]],
  ])('is not remembered where it %s', (_, to) => {
    const peer = newPeer();
    const step = { answer: {}, from: kept, to };
    remember(peer, step);
    expect(peer.operated(RepeatedHeaderCache.of(kept, at, 'c-2'), step.answer)).toBeNull();
  });
});
