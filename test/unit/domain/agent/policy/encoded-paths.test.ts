import { expect, it } from 'vitest';
import { pathMistake } from '../../../../../src/domain/agent/policy/gateway-model/possible/possible-path.js';
import { testPathFault } from '../../../../../src/domain/agent/policy/test-cases/request-kinds.js';

it.each(['/group%2Fname', '/a%5Cb', '/a%2Fb/c'])('policies can name %s, which a route can allow', (path) => {
  expect(pathMistake(path)).toBeNull();
  expect(testPathFault(path)).toBeNull();
});

it.each(['/a%2fb', '/a%00b', '/a%2Fb//c'])('policies never see %s', (path) => {
  expect(pathMistake(path)).not.toBeNull();
  expect(testPathFault(path)).not.toBeNull();
});
