import { describe, expect, it } from 'vitest';
import type { Decision, PolicyError } from '../../../../../src/domain/agent/policy/evaluate/decision.js';
import { type VerdictRules, verdict } from '../../../../../src/domain/agent/policy/policy-verdict.js';
import type { PolicyEffect } from '../../../../../src/domain/agent/policy/syntax-tree.js';

const failed = (policyId: string, effect: PolicyEffect): PolicyError => ({
  policyId,
  effect,
  error: { kind: 'error', code: 'type_error', message: 'no', span: null },
});
const allow: Decision = { decision: 'allow', reasons: ['p1', 'p2'], errors: [] };
const forbidden: Decision = { decision: 'deny', reasons: ['f1'], errors: [] };
const nothing: Decision = { decision: 'deny', reasons: [], errors: [] };
const bothFail = [failed('p8', 'permit'), failed('f8', 'forbid'), failed('f9', 'forbid')];
const permitFails = [failed('p8', 'permit')];
const closed: VerdictRules = { defaultDecision: 'deny', onError: 'deny' };
const openDefault: VerdictRules = { defaultDecision: 'allow', onError: 'deny' };
const skipping: VerdictRules = { defaultDecision: 'deny', onError: 'skip' };
const open: VerdictRules = { defaultDecision: 'allow', onError: 'skip' };

describe('the verdict', () => {
  it.each<[string, Decision, VerdictRules, string, string, readonly string[]]>([
    ['permits allow', allow, closed, 'allow', 'policies', ['p1', 'p2']],
    ['forbids deny', forbidden, open, 'deny', 'policies', ['f1']],
    ['nothing applies, and the default denies', nothing, closed, 'deny', 'default', []],
    ['nothing applies, and the default allows', nothing, openDefault, 'allow', 'default', []],
    [
      'a failing forbid denies what is permitted',
      { ...allow, errors: bothFail },
      closed,
      'deny',
      'error',
      ['f8', 'f9'],
    ],
    [
      'a failing forbid denies what the default allows',
      { ...nothing, errors: bothFail },
      openDefault,
      'deny',
      'error',
      ['f8', 'f9'],
    ],
    [
      'a failing forbid is skipped where it shall be',
      { ...allow, errors: bothFail },
      skipping,
      'allow',
      'policies',
      ['p1', 'p2'],
    ],
    [
      'a failing forbid is skipped, and the default allows',
      { ...nothing, errors: bothFail },
      open,
      'allow',
      'default',
      [],
    ],
    ['a failing permit is skipped', { ...allow, errors: permitFails }, closed, 'allow', 'policies', ['p1', 'p2']],
    ['a failing permit permits nothing', { ...nothing, errors: permitFails }, closed, 'deny', 'default', []],
    [
      'a satisfied forbid counts before a failing one',
      { ...forbidden, errors: bothFail },
      closed,
      'deny',
      'policies',
      ['f1'],
    ],
  ])('%s', (_, decision, rules, expected, because, policies) => {
    expect(verdict(decision, rules)).toEqual({ decision: expected, because, policies, errors: decision.errors });
  });
});
