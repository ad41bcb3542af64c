import { createHash } from 'node:crypto';
import type { LogoutIdentifiers, Session } from '../../../src/domain/agent/sessions/session.js';
import type { KeptForm } from '../../../src/domain/agent/sign-on/kept-form.js';
import type { SignOnRequest } from '../../../src/domain/agent/sign-on/sign-on-request.js';
import type { Result } from '../../../src/domain/shared/result.js';

/** A moment in 2026; every moment of these tests is given, none is read from a clock. */
export const noonMs = 1_790_000_000_000;
export const hourMs = 3_600_000;

/** What an id of this name is kept as. */
export const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex');

/** A session of Alice that begins at noon and lasts for eight hours. */
export const testSession = (name: string, more: Partial<Session> = {}): Session => ({
  idHash: hashOf(name),
  userId: 'alice',
  method: 'saml',
  provider: 'https://idp.example',
  logout: { subject: 'alice@example.com', session: null },
  details: {},
  attributes: [],
  createdMs: noonMs,
  expiresMs: noonMs + 8 * hourMs,
  lastSeenMs: noonMs,
  ...more,
});

/** The logout index of Alice's session at the provider. */
export const ofAlice = (session: string | null): LogoutIdentifiers => ({ subject: 'alice@example.com', session });

/** A sign-on that begins at noon and may take five minutes. */
export const testSignOnRequest = (name: string, more: Partial<SignOnRequest> = {}): SignOnRequest => ({
  handleHash: hashOf(name),
  kind: 'sign_on',
  requestId: `_${name}`,
  bindingHash: hashOf(`binding of ${name}`),
  returnTo: '/',
  createdMs: noonMs,
  expiresMs: noonMs + 300_000,
  ...more,
});

/** A form that is kept from noon on, for ten minutes. */
export const testKeptForm = (name: string, more: Partial<KeptForm> = {}): KeptForm => ({
  handleHash: hashOf(name),
  sealed: `sealed ${name}`,
  createdMs: noonMs,
  expiresMs: noonMs + 600_000,
  ...more,
});

/** The value of what succeeded; throws where it did not. */
export const succeeded = async <Value, Failure>(result: Promise<Result<Value, Failure>>): Promise<Value> => {
  const settled = await result;
  if (!settled.ok) throw new Error(`failed: ${JSON.stringify(settled.error)}`);
  return settled.value;
};
