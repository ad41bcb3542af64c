import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newSession } from '../../../../../src/domain/agent/saml/session-of-assertion.js';
import type { Session } from '../../../../../src/domain/agent/sessions/session.js';
import { sessionState } from '../../../../../src/domain/agent/sessions/session-state.js';
import { expectModelAgreement } from '../../../../support/shared/model-run.js';

/** What is left, counted down: it knows no moment, where the rules know nothing else. */
interface Model {
  lifeLeft: number;
  idleLeft: number;
  readonly idleMs: number | null;
  issuer: string;
}

/** A session and the world it is in. */
class Real {
  session: Session;
  nowMs = 1_000_000;
  issuer = 'A';
  readonly #idleMs: number | null;

  constructor(ttlMs: number, idpMs: number | null, idleMs: number | null) {
    this.#idleMs = idleMs;
    this.session = newSession({
      accepted: {
        userId: 'ann',
        nameId: { value: 'ann', format: null, nameQualifier: null, spNameQualifier: null },
        sessionIndex: null,
        authentication: { authnInstantMs: 0, contextClass: null },
        sessionNotOnOrAfterMs: idpMs === null ? null : this.nowMs + idpMs,
        attributes: [],
        assertionId: '_a',
        replayUntilMs: 0,
        validUntilMs: 0,
        oneTimeUse: false,
      },
      idHash: '',
      issuer: 'A',
      clockSkewMs: 0,
      pageHash: null,
      nowMs: this.nowMs,
      ttlMs,
    });
  }

  standing() {
    const accepts = ({ provider }: { readonly provider: string }) => provider === this.issuer;
    return sessionState(this.session, { nowMs: this.nowMs, idleMs: this.#idleMs, accepts });
  }
}

const modelStanding = ({ issuer, lifeLeft, idleLeft, idleMs }: Model) => {
  if (issuer !== 'A') return 'other_provider';
  if (lifeLeft <= 0) return 'expired';
  return idleMs !== null && idleLeft <= 0 ? 'idle' : 'active';
};

class Pass implements fc.Command<Model, Real> {
  readonly #ms: number;
  constructor(ms: number) {
    this.#ms = ms;
  }
  check() {
    return true;
  }
  run(model: Model, real: Real) {
    model.lifeLeft -= this.#ms;
    model.idleLeft -= this.#ms;
    real.nowMs += this.#ms;
    expect(real.standing()).toBe(modelStanding(model));
  }
  toString() {
    return `pass ${this.#ms}`;
  }
}

/** A request shows the session: one that counts is seen, one that does not is not. */
class Use implements fc.Command<Model, Real> {
  check() {
    return true;
  }
  run(model: Model, real: Real) {
    const standing = real.standing();
    expect(standing).toBe(modelStanding(model));
    if (standing !== 'active') return;
    model.idleLeft = model.idleMs ?? 0;
    real.session = { ...real.session, lastSeenMs: real.nowMs };
    expect(real.standing()).toBe('active');
  }
  toString() {
    return 'use';
  }
}

class ChangeIssuer implements fc.Command<Model, Real> {
  readonly #issuer: string;
  constructor(issuer: string) {
    this.#issuer = issuer;
  }
  check() {
    return true;
  }
  run(model: Model, real: Real) {
    model.issuer = this.#issuer;
    real.issuer = this.#issuer;
    expect(real.standing()).toBe(modelStanding(model));
  }
  toString() {
    return `issuer ${this.#issuer}`;
  }
}

const span = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(50, 100));
const life = fc.integer({ min: 1, max: 120 });

describe('a session', () => {
  it('moves from active to ended as the model does, and never back', () => {
    fc.assert(
      fc.property(
        life,
        fc.option(life),
        fc.option(fc.integer({ min: 1, max: 40 })),
        fc.commands(
          [
            span.map((ms) => new Pass(ms)),
            fc.constant(new Use()),
            fc.constantFrom('A', 'A', 'A', 'B').map((issuer) => new ChangeIssuer(issuer)),
          ],
          { maxCommands: 30 },
        ),
        (ttlMs, idpMs, idleMs, commands) => {
          const setup = () => ({
            model: { lifeLeft: Math.min(ttlMs, idpMs ?? ttlMs), idleLeft: idleMs ?? 0, idleMs, issuer: 'A' },
            real: new Real(ttlMs, idpMs, idleMs),
          });
          expectModelAgreement(setup, commands);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never reopens after its end', () => {
    fc.assert(
      fc.property(life, fc.integer({ min: 1, max: 40 }), fc.array(span, { maxLength: 20 }), (ttlMs, idleMs, spans) => {
        const real = new Real(ttlMs, null, idleMs);
        let isOver = false;
        for (const ms of spans) {
          real.nowMs += ms;
          const standing = real.standing();
          if (isOver) expect(standing).not.toBe('active');
          if (standing === 'active') real.session = { ...real.session, lastSeenMs: real.nowMs };
          else isOver = true;
        }
      }),
      { numRuns: 500 },
    );
  });
});
