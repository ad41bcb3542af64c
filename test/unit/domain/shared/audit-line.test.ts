import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditLine } from '../../../../src/domain/shared/audit-line.js';
import type { AuditRecord, AuditValue } from '../../../../src/domain/shared/audit-record.js';

const record = (members: Readonly<Record<string, AuditValue>>): AuditRecord => ({
  event: 'authorization',
  outcome: 'denied',
  members,
});

const line = (members: Readonly<Record<string, AuditValue>>, worker = 0): string =>
  auditLine('2026-09-21T14:13:20.000Z', worker, record(members));

describe('a line of the audit log', () => {
  it('is one object that begins with time, event and outcome', () => {
    expect(line({ client_ip: '192.0.2.1', route: null, rule_ids: ['a', 'b'], status: 403 }, 2)).toBe(
      '{"time":"2026-09-21T14:13:20.000Z","stream":"audit","event":"authorization","outcome":"denied","worker":2,' +
        '"client_ip":"192.0.2.1","route":null,"rule_ids":["a","b"],"status":403}\n',
    );
  });

  it('does not let a record override its own members', () => {
    expect(JSON.parse(line({ time: 'never', stream: 'x', event: 'x', outcome: 'allowed' }))).toEqual({
      time: '2026-09-21T14:13:20.000Z',
      stream: 'audit',
      event: 'authorization',
      outcome: 'denied',
    });
  });

  it.each([
    'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
    'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn',
  ])('hides a token: %s', (token) => {
    expect(line({ subject: token, reason_codes: ['a', token] })).not.toContain('eyJ');
    expect(JSON.parse(line({ subject: token, reason_codes: ['a', token] }))).toMatchObject({
      subject: '[secret]',
      reason_codes: ['a', '[secret]'],
    });
  });

  it('is one parseable, harmless and short line, whatever it contains', () => {
    const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 2_000 }), fc.array(fc.string({ unit: 'binary' })));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('subject', 'route', 'reason_codes'), value), (members) => {
        const text = line(members);
        expect(text.indexOf('\n')).toBe(text.length - 1);
        expect(() => JSON.parse(text)).not.toThrow();
        for (const character of text.slice(0, -1)) {
          const code = character.codePointAt(0) ?? 0;
          expect(code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0x2028 || code === 0x2029).toBe(false);
        }
        expect(text.length).toBeLessThan(100_000);
      }),
      { numRuns: 100 },
    );
    expect(line({ subject: 'x'.repeat(1_000_000) }).length).toBeLessThan(1_000);
    expect(line({ rule_ids: Array.from({ length: 10_000 }, () => 'rule') }).length).toBeLessThan(1_000);
  });
});
