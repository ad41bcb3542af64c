import { CryptoSessionSecrets } from '../../../src/adapters/outbound/crypto-session-secrets/crypto-session-secrets.js';
import { HmacSecretDigest } from '../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { CryptoTokenHashes } from '../../../src/adapters/outbound/jose-tokens/crypto-token-hashes.js';
import { JoseTokenSigningKeys } from '../../../src/adapters/outbound/jose-tokens/jose-token-signing-keys.js';
import { JoseVerificationKeys } from '../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js';
import { MemoryRateLimitStore } from '../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { CryptoRandom } from '../../../src/adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { NodeChangingFileReader } from '../../../src/adapters/outbound/node-text-files/node-changing-file-reader.js';
import { NodePolicyFiles } from '../../../src/adapters/outbound/node-text-files/node-policy-files.js';
import { NodeTextFileReader } from '../../../src/adapters/outbound/node-text-files/node-text-file-reader.js';
import { NativePasswordVerifier } from '../../../src/adapters/outbound/password-hashes/native-password-verifier.js';
import { UndiciKeySetSource } from '../../../src/adapters/outbound/undici-documents/undici-key-set-source.js';
import { UndiciMetadataSource } from '../../../src/adapters/outbound/undici-documents/undici-metadata-source.js';
import {
  UndiciIntrospectionEndpoint,
  UndiciProviderEndpoints,
} from '../../../src/adapters/outbound/undici-documents/undici-provider-endpoints.js';
import { nodeCertificateFingerprints } from '../../../src/adapters/outbound/x509-certificates/certificate-fingerprints.js';
import { X509CertificateReader } from '../../../src/adapters/outbound/x509-certificates/x509-certificate-reader.js';
import { NodeSamlKeys } from '../../../src/adapters/outbound/xml-crypto-saml/node-saml-keys.js';
import { XmlCryptoDocumentVerifier } from '../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { AgentServiceCounters } from '../../../src/application/agent/agent-service/agent-service-counters.js';
import { AuthAgent } from '../../../src/application/agent/agent-service/auth-agent.js';
import { PasswordChecks } from '../../../src/application/agent/authenticate/password-checks.js';
import { AgentConfigurationInForce } from '../../../src/application/agent/configure-agent/agent-configuration-in-force.js';
import { AgentKeySets } from '../../../src/application/agent/configure-agent/agent-key-sets.js';
import type { AgentProcessServices } from '../../../src/application/agent/configure-agent/agent-process-services.js';
import type { OidcServices } from '../../../src/application/agent/configure-agent/oidc-services.js';
import type { SamlServices } from '../../../src/application/agent/configure-agent/saml-services.js';
import type { SessionServices } from '../../../src/application/agent/configure-agent/session-services.js';
import { ExchangeRates } from '../../../src/application/agent/exchange-token/exchange-rates.js';
import { SpentAssertions } from '../../../src/application/agent/exchange-token/spent-assertions.js';
import { KeySets } from '../../../src/application/agent/keys/key-sets.js';
import { noOtherProcesses } from '../../../src/application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../../src/application/agent/sessions/session-store-leases.js';
import { ProviderEndpointRegistry } from '../../../src/application/agent/sign-on/oidc/discovery/provider-endpoint-registry.js';
import { IdentityProviderTrusts } from '../../../src/application/agent/sign-on/saml/trust/identity-provider-trusts.js';
import type { KeySetSource } from '../../../src/application/ports/agent/key-set-source.js';
import { openSessionStores } from '../../../src/bootstrap/agent/session-store-openers.js';
import type { AgentOptions } from '../../../src/domain/agent/configuration/agent-options-schema.js';
import { decodeAgentOptions } from '../../../src/domain/agent/configuration/decode-agent-options.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../src/domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../src/domain/http/header-list.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { ManualClock } from '../shared/manual-clock.js';
import { RecordingLogger } from '../shared/recording-logger.js';

export const optionsOf = (config: JsonObject): AgentOptions => {
  const { options, problems } = decodeAgentOptions(config);
  if (options === null) throw new Error(problems.map(({ message }) => message).join('; '));
  return options;
};

export const requestEvent = (headers: HeaderList, correlationId = 'call-1'): RequestHeadersEvent => ({
  kind: 'request_headers',
  correlationId,
  metadata: {
    correlationId,
    requestId: '6f6b5a0e-6d0c-4b53-9c9c-0d3f3c1c0a11',
    clientIp: '192.0.2.7',
    clientPort: 40_000,
    serverName: null,
    protocol: 'HTTP/1.1',
    tlsVersion: null,
    tlsCipher: null,
    routeId: 'api',
    upstreamId: null,
    timestampMs: 0,
    traceparent: null,
  },
  method: 'GET',
  uri: '/orders',
  headers,
});

/** What the upstream would get: the request's headers after the answer's operations. */
export const upstreamHeaders = (headers: HeaderList, answer: AgentAnswer): HeaderList => {
  let result = [...headers];
  const without = (name: string) =>
    result.filter((_, index) => result[index - (index % 2)]?.toLowerCase() !== name.toLowerCase());
  for (const operation of answer.requestHeaders) {
    if (operation.kind !== 'add') result = without(operation.name);
    if (operation.kind !== 'remove') result.push(operation.name, operation.value);
  }
  return result;
};

/** Parts that a test may swap; `keySetSource` is where key sets come from. */
export type AgentServiceOverrides = Partial<
  Omit<AgentProcessServices, 'keySets' | 'clock' | 'sessions' | 'saml' | 'oidc' | 'outcomes'>
> & {
  readonly keySetSource?: KeySetSource;
  readonly clock?: ManualClock;
  readonly sessions?: Partial<SessionServices>;
  readonly saml?: Partial<SamlServices>;
  readonly oidc?: Partial<OidcServices>;
  /** The config block of a file, under the options. */
  readonly block?: JsonObject;
};

export interface TestAgent {
  readonly agent: AuthAgent;
  readonly clock: ManualClock;
  readonly logger: RecordingLogger;
  ask(headers: HeaderList): Promise<AgentAnswer>;
}

/** An agent with its real adapters, a clock that stands, and options as a config block gives them. Not started. */
export const testAgent = (
  config: JsonObject,
  { keySetSource, clock: swappedClock, sessions, saml, oidc, block = {}, ...swapped }: AgentServiceOverrides = {},
): TestAgent => {
  const clock = swappedClock ?? new ManualClock();
  const logger = new RecordingLogger();
  const keys = new JoseVerificationKeys();
  const scheduler = swapped.scheduler ?? new NodeScheduler();
  const source = keySetSource ?? new UndiciKeySetSource();
  const random = new CryptoRandom();
  const keySets = new AgentKeySets(new KeySets({ source, keys, clock, scheduler, random, logger }));
  const counters = new AgentServiceCounters();
  const samlKeys = new NodeSamlKeys();
  const verifier = new XmlCryptoDocumentVerifier();
  const metadata = {
    source: new UndiciMetadataSource(),
    verifier,
    keys: samlKeys,
  };
  const parts: AgentProcessServices = {
    name: null,
    clock,
    scheduler,
    logger,
    digest: new HmacSecretDigest(),
    keys,
    signingKeys: new JoseTokenSigningKeys(),
    files: new NodeTextFileReader(),
    changingFiles: new NodeChangingFileReader(),
    policyFiles: new NodePolicyFiles(),
    keySets,
    fingerprints: nodeCertificateFingerprints,
    loadCertificateReader: async () => new X509CertificateReader(),
    passwords: new PasswordChecks({ verifier: new NativePasswordVerifier(), clock, logger }),
    spentAssertions: new SpentAssertions(clock),
    exchangeRates: new ExchangeRates(new MemoryRateLimitStore(clock), null),
    random,
    sessions: {
      storeKindFault: async () => null,
      stores: new SessionStoreLeases({ opener: openSessionStores(logger), clock, logger, endings: noOtherProcesses }),
      ...sessions,
    },
    saml: {
      verifier,
      warmUp: async () => true,
      keys: samlKeys,
      trusts: new IdentityProviderTrusts({ ...metadata, clock, scheduler, random, logger }),
      ...saml,
    },
    oidc: {
      endpoints: new UndiciProviderEndpoints(),
      introspection: new UndiciIntrospectionEndpoint(),
      hashes: new CryptoTokenHashes(),
      secrets: new CryptoSessionSecrets(),
      providers: new ProviderEndpointRegistry({ source, clock, scheduler, random, logger }),
      ...oidc,
    },
    outcomes: counters,
    ...swapped,
  };
  const configuration = new AgentConfigurationInForce({ overrides: optionsOf(config), block: optionsOf(block) }, parts);
  const description = { agentId: 'agent-1', version: '1.2.3', healthIntervalMs: 5_000, metricsIntervalMs: 10_000 };
  const agent = new AuthAgent(description, { configuration, keySets, counters, clock, scheduler, logger });
  return { agent, clock, logger, ask: async (headers) => agent.decide(requestEvent(headers), Symbol('connection')) };
};

/** The same, started. */
export const startedTestAgent = async (config: JsonObject, swapped: AgentServiceOverrides = {}): Promise<TestAgent> => {
  const made = testAgent(config, swapped);
  const started = await made.agent.start();
  if (!started.ok) throw new Error(started.error.map(({ option, message }) => `${option}: ${message}`).join('; '));
  return made;
};
