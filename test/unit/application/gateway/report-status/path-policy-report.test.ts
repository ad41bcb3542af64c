import { expect, it } from 'vitest';
import { pathPolicyReport } from '../../../../../src/application/gateway/report-status/path-policy-report.js';
import { plainPolicies } from '../../../../support/gateway/plain-configurations.js';

it.each([
  [{}, {}],
  [{ rewrite: { kind: 'prefix', strip: '/api', add: null } }, { rewrite: { strip_prefix: '/api' } }],
  [
    { rewrite: { kind: 'prefix', strip: '/api', add: '/v1' }, turnsBack: false },
    { rewrite: { strip_prefix: '/api', add_prefix: '/v1' }, location: false },
  ],
  [{ rewrite: { kind: 'regex', pattern: 'a', replacement: '/b' } }, { rewrite: { regex: ['a', '/b'] } }],
  [{ rewrite: { kind: 'path', path: '/x' } }, { rewrite: { path: '/x' } }],
  [
    { allowEncodedSlash: true, mergeSlashes: false },
    { allow_encoded_slash: true, merge_slashes: false },
  ],
] as const)('shows what differs from the defaults: %j', (changes, expected) => {
  expect(pathPolicyReport({ ...plainPolicies.path, ...changes })).toEqual(expected);
});
