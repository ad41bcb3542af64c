import { describe, expect, it } from 'vitest';
import { SessionCheck } from '../../../../../src/application/agent/authenticate/session-check.js';
import type { SessionCheckResult } from '../../../../../src/application/agent/sessions/session-check-result.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import type { RequestCredentials } from '../../../../../src/domain/agent/identity/request-credentials.js';
import { preparedIdentityOf, sessionIdOf, sessionOf } from '../../../../support/agent/remembered-sessions.js';
import { stepUpRulesOf } from '../../../../support/agent/step-up-rules-of.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const shown = (...sessionCookies: readonly string[]): RequestCredentials => ({
  authorization: null,
  apiKey: null,
  certificate: null,
  sessionCookies,
});
const ann = sessionIdOf('ann');
const session = sessionOf('ann', 0);
const active: SessionCheckResult = { kind: 'active', prepared: preparedIdentityOf(session), session };
const checkOf = (result: SessionCheckResult | Promise<SessionCheckResult>, asked: string[] = []) =>
  new SessionCheck(
    {
      check: (sessionId) => {
        asked.push(sessionId);
        return result;
      },
    },
    stepUpRulesOf(),
    'saml',
  );

describe('SessionCheck', () => {
  it('returns nothing for a request without the cookie', () => {
    const asked: string[] = [];
    expect(checkOf(active, asked).check(shown(), neverCancelled)).toEqual({ kind: 'absent' });
    expect(asked).toEqual([]);
  });

  it('authenticates an active session, synchronously if cached', () => {
    expect(checkOf(active).check(shown(ann), neverCancelled)).toEqual({
      kind: 'authenticated',
      prepared: preparedIdentityOf(session),
      byCookie: true,
    });
  });

  it.each<[SessionCheckResult['kind'], object]>([
    ['unknown', { kind: 'failed', reason: 'unknown_credentials' }],
    ['expired', { kind: 'failed', reason: 'session_expired' }],
    ['unavailable', { kind: 'undecided', reason: 'store_unavailable' }],
  ])('maps a session that is %s to its result', async (kind, outcome) => {
    const result = kind === 'active' ? active : { kind };
    expect(checkOf(result).check(shown(ann), neverCancelled)).toEqual(outcome);
    expect(await checkOf(Promise.resolve(result)).check(shown(ann), neverCancelled)).toEqual(outcome);
  });

  it('accepts the cookie only if it is there once', () => {
    const asked: string[] = [];
    for (const cookies of [
      [ann, sessionIdOf('bob')],
      [sessionIdOf('bob'), ann, ann],
      [ann, ''],
      [ann, ann],
    ]) {
      expect(checkOf(active, asked).check(shown(...cookies), neverCancelled)).toEqual({
        kind: 'failed',
        reason: 'ambiguous_credentials',
      });
    }
    expect(asked).toEqual([]);
  });

  it('waits for the store no longer than the request does', async () => {
    const cancellation = new CancellationSource();
    const waiting = checkOf(new Promise(() => undefined)).check(shown(ann), cancellation);
    cancellation.cancel();
    expect(await waiting).toEqual({ kind: 'cancelled' });
  });
});
