import { beforeEach, describe, expect, it } from 'vitest';
import {
  ConnectionAdmissions,
  type TrustedProxies,
} from '../../../../../src/application/gateway/admit/connection-admissions.js';
import { LocalPermitBook } from '../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { LimitViolation } from '../../../../../src/domain/gateway/limits/limit-violation.js';
import { compileCidrs } from '../../../../../src/domain/http/cidr-set.js';
import { atOnce, release, TestedRefusals } from '../../../../support/gateway/connection-admissions.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';

const limits = { maxTotalConnections: 5, maxConnectionsPerClient: 2 };

const trusting = (...blocks: readonly string[]): TrustedProxies => {
  const cidrs = compileCidrs(blocks);
  if (!cidrs.ok) throw new Error(cidrs.error);
  return new Map([['main', cidrs.value]]);
};

let book: LocalPermitBook;
let trusted: TrustedProxies;
let shortage: LimitViolation | null;
let tested: TestedRefusals;
let admissions: ConnectionAdmissions;
beforeEach(() => {
  book = new LocalPermitBook();
  book.limit({ ...plainLimits, ...limits });
  trusted = new Map();
  shortage = null;
  tested = new TestedRefusals();
  admissions = new ConnectionAdmissions(
    () => trusted,
    book,
    () => shortage,
    tested.refusals,
  );
});

const admit = (listener: string, address: string) => atOnce(admissions.admit(listener, address));

const kinds = (...addresses: readonly string[]) => addresses.map((address) => admit('main', address).kind);

describe('the connections of clients', () => {
  it('are admitted up to the limit per address', () => {
    expect(kinds('192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2')).toEqual([
      'admitted',
      'admitted',
      'refused',
      'admitted',
    ]);
  });

  it('are admitted up to the limit of all listeners together', () => {
    for (let index = 0; index < 5; index += 1) {
      expect(admit(`listener ${index}`, `192.0.2.${index}`).kind).toBe('admitted');
    }
    expect(kinds('192.0.2.9')).toEqual(['refused']);
  });

  it('make room when they end', () => {
    const first = admit('main', '192.0.2.1');
    expect(kinds('192.0.2.1', '192.0.2.1')).toEqual(['admitted', 'refused']);
    release(first);
    expect(kinds('192.0.2.1')).toEqual(['admitted']);
  });

  it('take no permit if they are refused', () => {
    expect(kinds('192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1')).toContain('refused');
    expect(admissions.total).toBe(2);
    expect(kinds('192.0.2.2', '192.0.2.2', '192.0.2.3')).toEqual(['admitted', 'admitted', 'admitted']);
  });

  it('count an IPv4 address and its mapped IPv6 address as one', () => {
    expect(kinds('192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1')).toEqual(['admitted', 'admitted', 'refused']);
  });

  it('leave no state of their address when they end', () => {
    const all = ['192.0.2.1', '192.0.2.1', '2001:db8::1'].map((address) => admit('main', address));
    expect(admissions.clients).toBe(2);
    for (const admission of all) release(admission);
    expect([admissions.total, admissions.clients]).toEqual([0, 0]);
  });
});

describe('the connections of a trusted proxy', () => {
  it('are not counted by address, only on the listener that trusts it', () => {
    trusted = trusting('192.0.2.0/24', '2001:db8::/32');
    expect(kinds('192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1')).toEqual(['admitted', 'admitted', 'admitted']);
    expect(kinds('198.51.100.1')).toEqual(['admitted']);
    expect(admit('other', '192.0.2.1').kind).toBe('admitted');
    expect(admissions.clients).toBe(2);
    expect(kinds('192.0.2.1')).toEqual(['refused']);
  });

  it('end as they began if a reload changes the trust', () => {
    trusted = trusting('192.0.2.1');
    const proxied = admit('main', '192.0.2.1');
    trusted = new Map();
    const counted = admit('main', '192.0.2.1');
    expect(admissions.clients).toBe(1);
    release(proxied);
    expect(admissions.clients).toBe(1);
    trusted = trusting('192.0.2.1');
    release(counted);
    expect([admissions.total, admissions.clients]).toEqual([0, 0]);
  });
});

describe('the limits after a reload', () => {
  it('apply to the next connection, against the open ones', () => {
    expect(kinds('192.0.2.1', '192.0.2.1')).toEqual(['admitted', 'admitted']);
    book.limit({ ...plainLimits, maxTotalConnections: 5, maxConnectionsPerClient: 3 });
    expect(kinds('192.0.2.1', '192.0.2.1')).toEqual(['admitted', 'refused']);
    book.limit({ ...plainLimits, maxTotalConnections: 2, maxConnectionsPerClient: 3 });
    expect(kinds('192.0.2.9')).toEqual(['refused']);
  });
});

describe('a refused connection', () => {
  it('gets the reason and a Retry-After', () => {
    kinds('192.0.2.1', '192.0.2.1');
    const refused = admit('main', '::ffff:192.0.2.1');
    if (refused.kind === 'admitted') throw new Error('it was let in');
    const { status, headers, body } = refused.answer;
    expect(status).toBe(503);
    expect(headers).toEqual(expect.arrayContaining(['Retry-After', '1', 'Content-Type', 'application/problem+json']));
    expect(JSON.parse(body)).toMatchObject({
      status: 503,
      code: 'connection_limit_reached',
      detail: 'max-connections-per-client is 2.',
      correlation_id: 'an-id',
    });
    expect(tested.logger.lines).toMatchObject([
      {
        level: 'warn',
        fields: {
          limit: 2,
          limit_name: 'max-connections-per-client',
          actual: 3,
          client_ip: '192.0.2.1',
          trace_id: 'an-id',
        },
      },
    ]);
  });

  it('is counted by its limit, with or without a log line', async () => {
    for (let index = 0; index < 22; index += 1) admit('main', '192.0.2.1');
    expect(await tested.metrics.render()).toMatch(
      /gateway_connection_limit_reached_total\{[^}]*limit="max-connections-per-client"[^}]*\} 20/,
    );
  });

  it('because of memory gets that reason, counts as a refused request, and takes no permit', async () => {
    shortage = { code: 'memory_limit_reached', name: 'max-memory-bytes', limit: 100, actual: 120 };
    const refused = admit('main', '192.0.2.1');
    expect(refused.kind === 'refused' && JSON.parse(refused.answer.body)).toMatchObject({
      code: 'memory_limit_reached',
      detail: 'max-memory-bytes is 100.',
    });
    expect(admissions.total).toBe(0);
    shortage = null;
    expect(kinds('192.0.2.1')).toEqual(['admitted']);
    expect(await tested.metrics.render()).toMatch(/_limit_reached_total\{[^}]*limit="max-memory-bytes"[^}]*\} 1/);
  });
});
