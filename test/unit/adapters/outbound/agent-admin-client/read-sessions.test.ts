import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../../src/adapters/outbound/agent-admin-client/read-sessions.js';

const session = {
  id: '3f9a1c7be2045d11',
  user: 'alice',
  method: 'oidc',
  provider: 'https://id.example corp',
  created: '2026-01-02T03:04:05.006Z',
  expires: '2026-01-02T11:04:05.006Z',
  last_seen: '2026-01-02T03:10:00.000Z',
  agent: 'gateway-auth',
};

describe('the sessions in the answer of an agent', () => {
  it('are read with the position of the next page', () => {
    const page = readSessions({ sessions: [session], next: 'gateway-auth:-17:ab' }, 1);
    expect(page).toEqual({
      sessions: [
        {
          id: session.id,
          userId: 'alice',
          method: 'oidc',
          provider: session.provider,
          createdMs: Date.parse(session.created),
          expiresMs: Date.parse(session.expires),
          lastSeenMs: Date.parse(session.last_seen),
        },
      ],
      next: '-17:ab',
    });
    expect(readSessions({ sessions: [] }, 1)).toEqual({ sessions: [], next: null });
  });

  it.each([
    null,
    [],
    'x',
    {},
    { sessions: {} },
    { sessions: [null] },
    { sessions: [session, session] },
    { sessions: [session], more: 1 },
    { sessions: [session], unavailable: ['x'] },
    { sessions: [session], next: 1 },
    { sessions: [session], next: 'x' },
    { sessions: [session], next: 'x:1:zz' },
    { sessions: [session], next: 'x:\n1:ab' },
    { sessions: [{ ...session, token: 'x' }] },
    { sessions: [{ ...session, agent: undefined, other: 'x' }] },
    { sessions: [{ ...session, id: '3f9a1c7b' }] },
    { sessions: [{ ...session, id: '../../../reload!' }] },
    { sessions: [{ ...session, id: `${session.id}\n` }] },
    { sessions: [{ ...session, method: '<b>' }] },
    { sessions: [{ ...session, user: 1 }] },
    { sessions: [{ ...session, user: 'x'.repeat(4_097) }] },
    { sessions: [{ ...session, provider: null }] },
    { sessions: [{ ...session, agent: {} }] },
    { sessions: [{ ...session, created: 'today' }] },
    { sessions: [{ ...session, expires: '2026-01-02' }] },
    { sessions: [{ ...session, last_seen: '+275761-01-01T00:00:00.000Z' }] },
  ])('are refused as a whole in %j', (body) => {
    expect(readSessions(body, 1)).toBeNull();
  });

  it('have only expected members, whatever the agent sends', () => {
    const texts = fc.oneof(fc.string(), fc.constant('x:1:ab'), fc.constant(session.id), fc.constant(session.created));
    const member = fc.oneof(texts, fc.json(), fc.integer(), fc.constant(null));
    const some = fc.record(
      { ...Object.fromEntries(Object.keys(session).map((name) => [name, member])), extra: member },
      { requiredKeys: [] },
    );
    const entry = fc.oneof(
      some,
      some.map((changes) => ({ ...session, ...changes })),
      fc.constant(session),
    );
    const body = fc.record({ sessions: fc.oneof(fc.array(entry), member), next: member }, { requiredKeys: [] });
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 4 }), (answer, limit) => {
        const page = readSessions(answer, limit);
        if (page === null) return;
        expect(page.sessions.length).toBeLessThanOrEqual(limit);
        if (page.next !== null) expect(page.next).toMatch(/^-?\d{1,16}:[0-9a-f]{1,128}$/);
        for (const { id, method, ...rest } of page.sessions) {
          expect(id).toMatch(/^[0-9a-f]{16,64}$/);
          expect(method).toMatch(/^[a-z][a-z0-9_-]{0,31}$/);
          expect(Object.keys(rest).toSorted()).toEqual(['createdMs', 'expiresMs', 'lastSeenMs', 'provider', 'userId']);
        }
      }),
    );
  });
});
