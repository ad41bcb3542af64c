import type { CleanUp } from '../shared/clean-up.js';
import { type GatewayStack, startStack } from '../shared/gateway-stack.js';
import { temporaryFolder } from '../shared/temporary-folder.js';
import { LiveSamlProvider, newSamlKey, type SamlProviderPlan } from './live-saml-provider.js';
import { introduce } from './saml-browser.js';

/** A company with its identity provider, and the gateway in front of its pages. */
export interface SamlCompany {
  readonly stack: GatewayStack;
  readonly provider: LiveSamlProvider;
  /** The session database, unless the plan has sessions kept elsewhere. */
  readonly storeFile: string;
}

export interface SamlCompanyPlan {
  readonly transport: 'embedded' | 'socket';
  /** Members of the `saml` block on top of its own. */
  readonly members?: string;
  /** Where sessions are kept, in place of a database of its own. */
  readonly store?: string;
  readonly provider?: SamlProviderPlan;
  /** One that serves another gateway already, in place of one of its own. */
  readonly sharedProvider?: LiveSamlProvider;
  /** What browsers call the gateway, without its port. */
  readonly origin?: string;
  readonly listenerMembers?: string;
  /** Port that the provider posts to, in place of the gateway's own. */
  readonly consumerPort?: number;
  /** Absent: one process. */
  readonly workers?: number;
}

/** Starts them; `/app` is protected, `/app/public` is excluded. */
export const startCompany = async (cleanUp: CleanUp, plan: SamlCompanyPlan): Promise<SamlCompany> => {
  const provider = plan.sharedProvider ?? new LiveSamlProvider(plan.provider);
  if (plan.sharedProvider === undefined) {
    await provider.start();
    cleanUp.add(() => provider.stop());
  }
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const key = newSamlKey('service provider');
  const keyFile = folder.write('sp.key', key.key);
  const certificateFile = folder.write('sp.crt', key.certificate);
  const storeFile = folder.file('store/sessions.db');
  const stack = await startStack(cleanUp, {
    transport: plan.transport,
    agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 5000',
    ...(plan.listenerMembers !== undefined && { listenerMembers: plan.listenerMembers }),
    ...(plan.workers !== undefined && { env: { GATEWAY_WORKER_THREADS: String(plan.workers) } }),
    agentConfig: (port) => `
      jwt-secret "a-secret-of-at-least-thirty-two-bytes"
      saml {
        enabled #true
        entity-id "urn:example:portcullis"
        acs-url "${plan.origin ?? 'http://127.0.0.1'}:${plan.consumerPort ?? port}/saml/acs"
        idp-metadata-url "${provider.origin}/metadata"
        sp-key-file "${keyFile}"
        sp-cert-file "${certificateFile}"
        ${plan.store ?? `session-store-path "${storeFile}"`}
        attribute-mapping { email "X-User-Email"; groups "X-User-Groups" }
        protected-paths "/app"
        excluded-paths "/app/public"
        ${plan.members ?? ''}
      }`,
  });
  if (plan.listenerMembers === undefined && plan.sharedProvider === undefined) await introduce(provider, stack.port);
  return { stack, provider, storeFile };
};
