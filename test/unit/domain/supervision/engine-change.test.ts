import { expect, it } from 'vitest';
import { engineChangeFault } from '../../../../src/domain/supervision/engine-change.js';

it('says why a reload cannot change the HTTP engine, and what can', () => {
  expect(engineChangeFault('core', 'core')).toBeNull();
  expect(engineChangeFault('node', 'node')).toBeNull();
  const fault = engineChangeFault('core', 'node');
  expect(fault).toContain('asks for node, and the program runs with core');
  expect(fault).toMatch(/restart.*SIGUSR2/);
});
