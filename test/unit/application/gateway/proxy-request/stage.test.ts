import { describe, expect, it } from 'vitest';
import {
  Exchange,
  resumeStages,
  runStages,
  type Stage,
} from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

/** Stages that record their names and return a given outcome. */
const made = () => {
  const ran: string[] = [];
  const stage =
    (name: string, outcome: ReturnType<Stage> = 'continue'): Stage =>
    () => {
      ran.push(name);
      return outcome;
    };
  return { ran, stage };
};

/** An exchange that keeps the errors that it fails with. */
const watched = () => {
  const failures: unknown[] = [];
  const { request, response, client } = newExchange();
  const owner = { isClosing: false, failed: (_: Exchange, error: unknown): void => void failures.push(error) };
  return { failures, exchange: new Exchange(request, response, 'id', 'id', client, 0, owner) };
};

describe('stages', () => {
  it('run in order, awaited if necessary, until one ends the exchange', async () => {
    const { ran, stage } = made();
    const stages = [stage('a'), stage('b', Promise.resolve('continue')), stage('c', 'ended'), stage('d')];
    expect(await runStages(stages, newExchange())).toBe('ended');
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('after one that returns `later` run when it resumes', () => {
    const { ran, stage } = made();
    const exchange = newExchange();
    expect(runStages([stage('a', 'later'), stage('b'), stage('c', 'later'), stage('d')], exchange)).toBe('later');
    expect(ran).toEqual(['a']);
    resumeStages(exchange, 'continue');
    expect(ran).toEqual(['a', 'b', 'c']);
    resumeStages(exchange, 'continue');
    resumeStages(exchange, 'continue');
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
  });

  it('do not run after one that returned `later` and then ended the exchange', () => {
    const { ran, stage } = made();
    const exchange = newExchange();
    void runStages([stage('a', 'later'), stage('b')], exchange);
    resumeStages(exchange, 'ended');
    resumeStages(exchange, 'continue');
    expect(ran).toEqual(['a']);
  });

  it('of an inner list resume where they stopped, also after an awaited stage', async () => {
    const { ran, stage } = made();
    const exchange = newExchange();
    const inner = [stage('a', Promise.resolve('continue')), stage('b', 'later'), stage('c')];
    expect(await runStages([stage('first'), (each) => runStages(inner, each)], exchange)).toBe('later');
    resumeStages(exchange, 'continue');
    expect(ran).toEqual(['first', 'a', 'b', 'c']);
  });

  it('fail if two lists would have to resume', () => {
    const { stage } = made();
    const inner = [stage('a', 'later'), stage('b')];
    expect(() => runStages([(each) => runStages(inner, each), stage('c')], newExchange())).toThrow(
      'must be the last of its list',
    );
  });

  it('that fail after a resume fail the exchange', async () => {
    const { failures, exchange } = watched();
    const fault = new Error('a fault');
    const thrown: Stage = () => {
      throw fault;
    };
    for (const failing of [thrown, () => Promise.reject(fault)]) {
      void runStages([() => 'later', failing], exchange);
      resumeStages(exchange, 'continue');
      await settled();
    }
    expect(failures).toEqual([fault, fault]);
  });
});
