import { createHash, randomBytes } from 'node:crypto';
import type { SessionStoreOpener } from '../../../src/application/ports/agent/session-stores.js';
import type { SessionStoreOptions } from '../../../src/domain/agent/configuration/sessions-options.js';
import type { SignOnMethod } from '../../../src/domain/agent/sessions/session.js';
import type { CleanUp } from '../shared/clean-up.js';
import type { TemporaryFolder } from '../shared/temporary-folder.js';
import { newSamlKey } from './live-saml-provider.js';
import { succeeded } from './test-sessions.js';

const entityId = 'urn:example:portcullis';
const cookieName = 'portcullis_session';
const providers: Readonly<Record<SignOnMethod, string>> = {
  saml: 'https://idp.example',
  oidc: 'https://id.example corp',
};

/**
 * The `config` of an agent with SAML beside OpenID Connect; `/app` is protected by both. The providers are not reached:
 * sessions come from `seedSessions`. `sessions`: members of that block, with the store.
 */
export const seededAgentConfig = (folder: TemporaryFolder, sessions: string): string => {
  const certificateFile = folder.write('idp.crt', newSamlKey('identity provider').certificate);
  return `
    saml {
      enabled #true
      entity-id "${entityId}"
      acs-url "https://app.example/saml/acs"
      idp-entity-id "${providers.saml}"
      idp-sso-url "https://idp.example/sso"
      idp-cert-file "${certificateFile}"
      protected-paths "/app"
    }
    oidc-login "corp" {
      issuer "https://id.example"
      client-id "portal"
      authorization-url "https://id.example/authorize"
      token-url "https://id.example/token"
      jwks-url "https://id.example/jwks"
      public-url "https://app.example"
      protected-paths "/app"
    }
    sessions {
      cookie-name "${cookieName}"
      ${sessions}
    }`;
};

/** A session in a store, as its browser and an operator know it. */
export interface SeededSession {
  /** The value of the header Cookie. */
  readonly cookie: string;
  /** The id that operators see. */
  readonly id: string;
}

export interface SeedPlan {
  readonly user: string;
  readonly method?: SignOnMethod;
  /** From now on, in milliseconds. */
  readonly ttlMs?: number;
}

/** Puts sessions into the store that agents of `seededAgentConfig` use, as another process does. */
export const seeder = async (
  cleanUp: CleanUp,
  opener: SessionStoreOpener,
  options: SessionStoreOptions,
): Promise<(plan: SeedPlan) => Promise<SeededSession>> => {
  const stores = await succeeded(opener.open(options, entityId));
  cleanUp.add(() => stores.close());
  return async ({ user, method = 'saml', ttlMs = 3_600_000 }) => {
    const sessionId = randomBytes(32).toString('base64url');
    const idHash = createHash('sha256').update(sessionId).digest('hex');
    const now = Date.now();
    await succeeded(
      stores.sessions.insert({
        idHash,
        userId: user,
        method,
        provider: providers[method],
        logout: { subject: user, session: null },
        details: {},
        attributes: [],
        createdMs: now,
        expiresMs: now + ttlMs,
        lastSeenMs: now,
      }),
    );
    return { cookie: `${cookieName}=${sessionId}`, id: idHash.slice(0, 16) };
  };
};
