import type { CleanUp } from '../shared/clean-up.js';
import { type GatewayStack, startStack } from '../shared/gateway-stack.js';
import { temporaryFolder } from '../shared/temporary-folder.js';
import { LiveLoginProvider, loginClientSecret, type RegisteredClient } from './live-login-provider.js';

/** A company with an OpenID provider, and the gateway in front of its pages. */
export interface LoginCompany {
  readonly stack: GatewayStack;
  readonly provider: LiveLoginProvider;
}

export interface LoginCompanyPlan {
  readonly transport: 'embedded' | 'socket';
  /** Members of the `oidc-login` block in place of the client secret. */
  readonly credential?: string;
  /** Further members of the block. */
  readonly members?: string;
  /** Further members of the block `sessions`. */
  readonly sessions?: string;
  readonly client?: RegisteredClient['metadata'];
  /** Scheme and host of the gateway for browsers. */
  readonly origin?: string;
  /** Members of the listener. */
  readonly listenerMembers?: string;
  /** Absent: one process. */
  readonly workers?: number;
  /** Token of the admin block; absent: none. */
  readonly adminToken?: string;
  /** Members of the `sessions` block that name the store, in place of a database of its own. */
  readonly store?: string;
  /** A company that is reached at its own address alone, and shares its provider and its public URL. */
  readonly beside?: LoginCompany;
}

/** Starts the company; `/app` is protected. */
export const startLoginCompany = async (cleanUp: CleanUp, plan: LoginCompanyPlan): Promise<LoginCompany> => {
  const provider = plan.beside?.provider ?? new LiveLoginProvider();
  if (plan.beside === undefined) {
    await provider.start();
    cleanUp.add(() => provider.stop());
  }
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const stack = await startStack(cleanUp, {
    transport: plan.transport,
    agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 10000',
    listenerMembers: plan.listenerMembers ?? '',
    ...(plan.adminToken !== undefined && { adminToken: plan.adminToken }),
    ...(plan.workers !== undefined && { env: { GATEWAY_WORKER_THREADS: String(plan.workers) } }),
    agentConfig: (port) => {
      const origin = `${plan.origin ?? 'http://127.0.0.1'}:${plan.beside?.stack.port ?? port}`;
      const logout = {
        backchannel_logout_uri: `${origin}/oidc/backchannel-logout`,
        backchannel_logout_session_required: true,
      };
      if (plan.beside === undefined) {
        const metadata = { ...logout, ...plan.client };
        provider.register({ redirectUris: [`${origin}/oidc/callback/corp`], metadata });
      }
      return `
      sessions {
        ${plan.store ?? `store "sqlite"; path "${folder.file('store/sessions.db')}"`}
        ${plan.sessions ?? ''}
      }
      oidc-login "corp" {
        issuer "${provider.issuer}"
        client-id "portal"
        ${plan.credential ?? `client-secret "${loginClientSecret}"`}
        public-url "${origin}"
        protected-paths "/app"
        claim-mapping { email "X-User-Email"; groups "X-User-Groups" }
        ${plan.members ?? ''}
      }`;
    },
  });
  await stack.agentsHealthy();
  return { stack, provider };
};
