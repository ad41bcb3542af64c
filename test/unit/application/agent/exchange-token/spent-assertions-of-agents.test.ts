import { describe, expect, it } from 'vitest';
import {
  SpentAssertionsOfAgents,
  spentAssertionLimits,
} from '../../../../../src/application/agent/exchange-token/spent-assertions.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

describe('the used assertions of the agents of a process', () => {
  it('are separate per agent, and outlive it', () => {
    const ofAgents = new SpentAssertionsOfAgents(new ManualClock());
    const names = ['a', 'b', '', '__proto__', null];
    expect(names.map((name) => ofAgents.of(name).take('svc', '1'))).toEqual(names.map(() => 'first'));
    expect(names.map((name) => ofAgents.of(name).take('svc', '1'))).toEqual(names.map(() => 'seen'));
  });

  it('have separate limits: one full store does not affect another', () => {
    const ofAgents = new SpentAssertionsOfAgents(new ManualClock());
    for (let id = 0; id < spentAssertionLimits.ofClient; id += 1) ofAgents.of('a').take('svc', String(id));
    expect([ofAgents.of('a').take('svc', 'more'), ofAgents.of('b').take('svc', 'more')]).toEqual(['full', 'first']);
  });
});
