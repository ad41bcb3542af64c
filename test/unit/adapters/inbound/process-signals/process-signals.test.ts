import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ProcessSignals } from '../../../../../src/adapters/inbound/process-signals/process-signals.js';

const listening = (canUpgrade = true) => {
  const source = new EventEmitter();
  const calls: string[] = [];
  const signals = new ProcessSignals(source, {
    drain: (signal) => calls.push(`drain ${signal}`),
    endAtOnce: (signal) => calls.push(`end ${signal}`),
    reload: () => calls.push('reload'),
    ignored: (signal) => void calls.push(`ignored ${signal}`),
    ...(canUpgrade ? { upgrade: () => void calls.push('upgrade') } : {}),
  });
  signals.listen();
  const send = (signal: NodeJS.Signals): boolean => source.emit(signal, signal);
  return { source, calls, signals, send };
};

describe('the signals of a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s drains', (signal) => {
    const { calls, send } = listening();
    send(signal);
    expect(calls).toEqual([`drain ${signal}`]);
  });

  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGINT'],
  ] as const)('%s and then %s ends at once', (first, second) => {
    const { calls, send } = listening();
    send(first);
    send(second);
    expect(calls).toEqual([`drain ${first}`, `end ${second}`]);
  });

  it('SIGHUP reloads, each time', () => {
    const { calls, send } = listening();
    send('SIGHUP');
    send('SIGHUP');
    expect(calls).toEqual(['reload', 'reload']);
  });

  it('SIGUSR2 upgrades, but not a program that drains already', () => {
    const { calls, send } = listening();
    send('SIGUSR2');
    send('SIGTERM');
    expect(send('SIGUSR2')).toBe(true);
    expect(calls).toEqual(['upgrade', 'drain SIGTERM', 'ignored SIGUSR2']);
  });

  it('SIGUSR2 is left to the system where the program cannot be replaced', () => {
    const { send } = listening(false);
    expect(send('SIGUSR2')).toBe(false);
  });

  it('SIGHUP neither reloads nor ends a program that drains', () => {
    const { calls, send, source } = listening();
    send('SIGTERM');
    expect(send('SIGHUP')).toBe(true);
    expect(calls).toEqual(['drain SIGTERM', 'ignored SIGHUP']);
    expect(source.listenerCount('SIGHUP')).toBe(1);
  });

  it('are left alone after a stop', () => {
    const { calls, send, signals, source } = listening();
    signals.stop();
    send('SIGTERM');
    send('SIGHUP');
    send('SIGUSR2');
    expect(calls).toEqual([]);
    expect(source.eventNames()).toEqual([]);
  });
});
