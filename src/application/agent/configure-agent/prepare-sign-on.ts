import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import { secretHeaders } from '../../../domain/agent/configuration/secret-headers.js';
import { KeptForms } from '../sign-on/kept-forms/kept-forms.js';
import { SignOn } from '../sign-on/shared/sign-on.js';
import type { SignOnWay } from '../sign-on/shared/sign-on-way.js';
import type { AgentProcessServices } from './agent-process-services.js';
import type { PreparedLogins } from './prepared-logins.js';
import type { PreparedSessions } from './prepared-sessions.js';

/** The decision which way to sign on begins; null: there is none. */
export const prepareSignOn = (
  options: CompleteAgentOptions,
  sessions: PreparedSessions | null,
  ways: readonly SignOnWay[],
  loginPaths: readonly string[],
): SignOn | null =>
  sessions === null || ways.length === 0
    ? null
    : new SignOn({
        ways,
        loginPaths,
        secretHeaders: secretHeaders(options).map(({ name }) => name),
        returnOrigins: sessions.returnOrigins,
        stepUp: sessions.stepUp,
      });

/** Keeps posted forms during a sign-on, if the configuration asks for it. */
export const prepareKeptForms = (
  options: CompleteAgentOptions,
  sessions: PreparedSessions | null,
  logins: PreparedLogins | null,
  signOn: SignOn | null,
  { oidc, random, digest, clock, logger }: AgentProcessServices,
): KeptForms | null => {
  if (sessions === null || signOn === null || !sessions.options.keepsPostedForms) return null;
  const { cookies, stores } = sessions;
  return new KeptForms({
    cookies,
    sessions: logins?.sessions ?? sessions.sessions,
    store: stores.sessions,
    forms: stores.forms,
    secrets: oidc.secrets,
    signOn,
    secretHeaders: secretHeaders(options).map(({ name }) => name),
    random,
    digest,
    clock,
    logger,
  });
};
