import { HmacSecretDigest } from '../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { StepUpRules } from '../../../src/application/agent/sessions/step-up-rules.js';
import type { RequiredPath, SessionRequirement } from '../../../src/domain/agent/sessions/session-requirements.js';
import { ManualClock } from '../shared/manual-clock.js';

/** A requirement of nothing, but for what is given. */
export const required = (some: Partial<SessionRequirement> = {}): SessionRequirement => ({
  provider: null,
  acrValues: [],
  maxAgeSecs: null,
  ...some,
});

/** Rules without tolerance for clocks. */
export const stepUpRulesOf = (paths: readonly RequiredPath[] = [], clock = new ManualClock()): StepUpRules =>
  new StepUpRules({ required: paths, clockSkewsMs: new Map(), digest: new HmacSecretDigest(), clock });
