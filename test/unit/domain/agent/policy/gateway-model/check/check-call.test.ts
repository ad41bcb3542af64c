import { describe, expect, it } from 'vitest';
import { modelFindings, whenFindings as when } from '../../../../../../support/agent/model-findings.js';

describe('a constant that always fails', () => {
  it.each([
    [
      'context.client_ip == ip("10.0.0.256")',
      'ip("10.0.0.256")',
      'this always fails: not an IPv4 or IPv6 address with an optional prefix length',
      'write it as in ip("10.0.0.1") or ip("10.0.0.0/8")',
    ],
    [
      'decimal("1").lessThan(decimal(context.claims.n))',
      'decimal("1")',
      expect.any(String),
      'write it as in decimal("1.0")',
    ],
    [
      'datetime(context.claims.t) < datetime("2026-13-01")',
      'datetime("2026-13-01")',
      expect.any(String),
      'write it as in datetime("2026-01-31T12:00:00Z")',
    ],
    ['duration("x") == duration("1h")', 'duration("x")', expect.any(String), 'write it as in duration("1h30m")'],
    ['ip(1).isIpv4()', '1', '"ip" takes a string, not a value of type long', expect.any(String)],
    ['ip("::1", "::2").isIpv4()', 'ip("::1", "::2")', '"ip" takes one argument, not 2', expect.any(String)],
    [
      '9223372036854775807 + 1 == context.claims.n',
      '9223372036854775807 + 1',
      'this always fails: the result exceeds 64 bits',
      'longs go from -9223372036854775808 to 9223372036854775807',
    ],
    [
      'context.claims.n == 2 * (4611686018427387904 * 1)',
      '2 * (4611686018427387904 * 1)',
      'this always fails: the result exceeds 64 bits',
      'longs go from -9223372036854775808 to 9223372036854775807',
    ],
    [
      'context.claims.n == - -9223372036854775808',
      '- -9223372036854775808',
      'this always fails: the result exceeds 64 bits',
      'longs go from -9223372036854775808 to 9223372036854775807',
    ],
  ])('is reported: %s', (condition, at, message, suggestion) => {
    expect(when(condition)).toEqual([{ at, message, suggestion }]);
  });

  it('is reported with its effect in a forbid', () => {
    const [finding] = modelFindings('forbid(principal, action, resource) when { ip("10.0.0.256").isIpv4() };');
    expect(finding?.message).toMatch(
      /where on-error is "deny", this forbid denies every request that reaches this expression$/,
    );
  });

  it('is reported only for errors, not for conditions that never hold', () => {
    const [finding] = modelFindings('forbid(principal, action, resource) when { action == "GET" };');
    expect(finding?.message).not.toContain('denies');
  });
});
