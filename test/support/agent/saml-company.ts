import type { CleanUp } from '../shared/clean-up.js';
import { type GatewayStack, startStack } from '../shared/gateway-stack.js';
import { temporaryFolder } from '../shared/temporary-folder.js';
import { LiveSamlProvider, newSamlKey, type SamlProviderPlan } from './live-saml-provider.js';
import { introduce } from './saml-browser.js';

/** A company with its identity provider, and the gateway in front of its pages. */
export interface SamlCompany {
  readonly stack: GatewayStack;
  readonly provider: LiveSamlProvider;
  /** The session database, unless the plan keeps sessions elsewhere. */
  readonly storeFile: string;
  /** Reloads the gateway with another identity provider; resolves with it once an embedded agent uses it. */
  replaceProvider(plan: SamlProviderPlan): Promise<LiveSamlProvider>;
}

export interface SamlCompanyPlan {
  readonly transport: 'embedded' | 'socket';
  /** Members of the `saml` block on top of its own. */
  readonly members?: string;
  /** Members of a block `sessions` beside `saml`. */
  readonly sessions?: string;
  /** Where sessions are kept, in place of a database of its own. */
  readonly store?: string;
  readonly provider?: SamlProviderPlan;
  /** A provider that serves another gateway too; it replaces a provider of the company. */
  readonly sharedProvider?: LiveSamlProvider;
  /** Scheme and host of the gateway for browsers. */
  readonly origin?: string;
  /** Members of the listener for HTTP. */
  readonly listenerMembers?: string;
  /** Members of the listener for HTTPS; absent: HTTP. */
  readonly tlsMembers?: string;
  /** Port that the provider posts to, in place of the gateway's own. */
  readonly consumerPort?: number;
  /** Token of the admin block; absent: none. */
  readonly adminToken?: string;
  /** Absent: one process. */
  readonly workers?: number;
}

const startProvider = async (cleanUp: CleanUp, plan?: SamlProviderPlan): Promise<LiveSamlProvider> => {
  const provider = new LiveSamlProvider(plan);
  await provider.start();
  cleanUp.add(() => provider.stop());
  return provider;
};

/** Starts the company; `/app` is protected, `/app/public` is excluded. */
export const startCompany = async (cleanUp: CleanUp, plan: SamlCompanyPlan): Promise<SamlCompany> => {
  const provider = plan.sharedProvider ?? (await startProvider(cleanUp, plan.provider));
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const key = newSamlKey('service provider');
  const keyFile = folder.write('sp.key', key.key);
  const certificateFile = folder.write('sp.crt', key.certificate);
  const storeFile = folder.file('store/sessions.db');
  const agentConfigWith =
    ({ origin }: LiveSamlProvider) =>
    (port: number): string =>
      `
      jwt-secret "a-secret-of-at-least-thirty-two-bytes"
      saml {
        enabled #true
        entity-id "urn:example:portcullis"
        acs-url "${plan.origin ?? 'http://127.0.0.1'}:${plan.consumerPort ?? port}/saml/acs"
        idp-metadata-url "${origin}/metadata"
        sp-key-file "${keyFile}"
        sp-cert-file "${certificateFile}"
        ${plan.store ?? `session-store-path "${storeFile}"`}
        attribute-mapping { email "X-User-Email"; groups "X-User-Groups" }
        protected-paths "/app"
        excluded-paths "/app/public"
        ${plan.members ?? ''}
      }
      ${plan.sessions === undefined ? '' : `sessions { ${plan.sessions} }`}`;
  const stack = await startStack(cleanUp, {
    transport: plan.transport,
    agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 5000',
    listenerMembers: plan.tlsMembers ?? plan.listenerMembers ?? '',
    ...(plan.workers !== undefined && { env: { GATEWAY_WORKER_THREADS: String(plan.workers) } }),
    ...(plan.adminToken !== undefined && { adminToken: plan.adminToken }),
    agentConfig: agentConfigWith(provider),
  });
  await stack.agentsHealthy();
  const reached = plan.tlsMembers === undefined ? {} : { tls: { rejectUnauthorized: false } };
  if (plan.sharedProvider === undefined) await introduce(provider, stack.port, reached);
  const replaceProvider = async (providerPlan: SamlProviderPlan): Promise<LiveSamlProvider> => {
    const next = await startProvider(cleanUp, providerPlan);
    stack.rewrite({ agentConfig: agentConfigWith(next) });
    await stack.reload();
    await stack.agentsPresent();
    await introduce(next, stack.port, reached);
    return next;
  };
  return { stack, provider, storeFile, replaceProvider };
};
