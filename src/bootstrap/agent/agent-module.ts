import { ContainerModule } from 'inversify';
import { CryptoSessionSecrets } from '../../adapters/outbound/crypto-session-secrets/crypto-session-secrets.js';
import { HmacSecretDigest } from '../../adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { CryptoTokenHashes } from '../../adapters/outbound/jose-tokens/crypto-token-hashes.js';
import { JoseTokenSigningKeys } from '../../adapters/outbound/jose-tokens/jose-token-signing-keys.js';
import { JoseVerificationKeys } from '../../adapters/outbound/jose-tokens/jose-verification-keys.js';
import { NodeChangingFileReader } from '../../adapters/outbound/node-text-files/node-changing-file-reader.js';
import { NodePolicyFiles } from '../../adapters/outbound/node-text-files/node-policy-files.js';
import { NodeTextFileReader } from '../../adapters/outbound/node-text-files/node-text-file-reader.js';
import { NativePasswordVerifier } from '../../adapters/outbound/password-hashes/native-password-verifier.js';
import { UndiciKeySetSource } from '../../adapters/outbound/undici-documents/undici-key-set-source.js';
import { UndiciMetadataSource } from '../../adapters/outbound/undici-documents/undici-metadata-source.js';
import {
  UndiciIntrospectionEndpoint,
  UndiciProviderEndpoints,
} from '../../adapters/outbound/undici-documents/undici-provider-endpoints.js';
import { nodeCertificateFingerprints } from '../../adapters/outbound/x509-certificates/certificate-fingerprints.js';
import { NodeSamlKeys } from '../../adapters/outbound/xml-crypto-saml/node-saml-keys.js';
import { WorkerDocumentVerifier } from '../../adapters/outbound/xml-crypto-saml/worker-document-verifier.js';
import { AgentServiceCounters } from '../../application/agent/agent-service/agent-service-counters.js';
import { AuthAgent } from '../../application/agent/agent-service/auth-agent.js';
import { LoggerWithFields } from '../../application/agent/agent-service/logger-with-fields.js';
import { PasswordChecks } from '../../application/agent/authenticate/password-checks.js';
import {
  AgentConfigurationInForce,
  type StartOptions,
} from '../../application/agent/configure-agent/agent-configuration-in-force.js';
import { AgentKeySets } from '../../application/agent/configure-agent/agent-key-sets.js';
import type { SamlServices } from '../../application/agent/configure-agent/saml-services.js';
import { ExchangeRates } from '../../application/agent/exchange-token/exchange-rates.js';
import { SpentAssertionsOfAgents } from '../../application/agent/exchange-token/spent-assertions.js';
import { KeySets } from '../../application/agent/keys/key-sets.js';
import { noOtherProcesses } from '../../application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../application/agent/sessions/session-store-leases.js';
import { ProviderEndpointRegistry } from '../../application/agent/sign-on/oidc/discovery/provider-endpoint-registry.js';
import { IdentityProviderTrusts } from '../../application/agent/sign-on/saml/trust/identity-provider-trusts.js';
import type { CertificateReaderLoader } from '../../application/ports/shared/certificate-reader.js';
import { agentDefaults } from '../../domain/agent/configuration/agent-configuration.js';
import { bindSingleton } from '../shared/bind-singleton.js';
import { sharedTokens } from '../shared/shared-tokens.js';
import { type AgentFactory, agentTokens, type SharedAgentServices } from './agent-tokens.js';
import { openSessionStores, storeKindFault } from './session-store-openers.js';

/** Report intervals of an agent, in milliseconds. */
export const agentReportIntervals = ({ overrides, block }: StartOptions) => ({
  healthIntervalMs: overrides.healthIntervalMs ?? block.healthIntervalMs ?? agentDefaults.healthIntervalMs,
  metricsIntervalMs: overrides.metricsIntervalMs ?? block.metricsIntervalMs ?? agentDefaults.metricsIntervalMs,
});

const loadCertificateReader: CertificateReaderLoader = async () => {
  const { X509CertificateReader } = await import(
    '../../adapters/outbound/x509-certificates/x509-certificate-reader.js'
  );
  return new X509CertificateReader();
};

/**
 * The agent and its adapters. Requires `sharedTokens`, and a rate-limit store for token exchange.
 */
export const agentModule = new ContainerModule(({ bind }) => {
  const made = bindSingleton(bind);
  made(agentTokens.secretDigest, {}, () => new HmacSecretDigest());
  made(agentTokens.verificationKeys, {}, () => new JoseVerificationKeys());
  made(agentTokens.tokenSigningKeys, {}, () => new JoseTokenSigningKeys());
  made(agentTokens.textFileReader, {}, () => new NodeTextFileReader());
  made(agentTokens.changingFiles, {}, () => new NodeChangingFileReader());
  made(agentTokens.policyFiles, {}, () => new NodePolicyFiles());
  made(agentTokens.keySetSource, {}, () => new UndiciKeySetSource());
  made(
    agentTokens.keySets,
    {
      source: agentTokens.keySetSource,
      keys: agentTokens.verificationKeys,
      clock: sharedTokens.clock,
      scheduler: sharedTokens.scheduler,
      random: sharedTokens.random,
      logger: sharedTokens.logger,
    },
    (parts) => new KeySets(parts),
  );
  bind(agentTokens.loadCertificateReader).toConstantValue(loadCertificateReader);
  made(agentTokens.passwordVerifier, {}, () => new NativePasswordVerifier());
  made(
    agentTokens.passwordChecks,
    { verifier: agentTokens.passwordVerifier, clock: sharedTokens.clock, logger: sharedTokens.logger },
    (parts) => new PasswordChecks(parts),
  );
  made(agentTokens.spentAssertions, { clock: sharedTokens.clock }, ({ clock }) => new SpentAssertionsOfAgents(clock));
  made(
    agentTokens.samlDocumentVerifier,
    {},
    () => new WorkerDocumentVerifier(new URL('./main-saml-verifier.js', import.meta.url)),
  );
  made(agentTokens.samlKeys, {}, () => new NodeSamlKeys());
  made(agentTokens.metadataSource, {}, () => new UndiciMetadataSource());
  made(
    agentTokens.identityProviderTrusts,
    {
      source: agentTokens.metadataSource,
      verifier: agentTokens.samlDocumentVerifier,
      keys: agentTokens.samlKeys,
      clock: sharedTokens.clock,
      scheduler: sharedTokens.scheduler,
      random: sharedTokens.random,
      logger: sharedTokens.logger,
    },
    (parts) => new IdentityProviderTrusts(parts),
  );
  made(agentTokens.sessionStoreOpener, { logger: sharedTokens.logger }, ({ logger }) => openSessionStores(logger));
  bind(agentTokens.sessionEndings).toConstantValue(noOtherProcesses);
  made(
    agentTokens.sessionStoreLeases,
    {
      opener: agentTokens.sessionStoreOpener,
      clock: sharedTokens.clock,
      logger: sharedTokens.logger,
      endings: agentTokens.sessionEndings,
    },
    (parts) => new SessionStoreLeases(parts),
  );
  made(agentTokens.providerEndpoints, {}, () => new UndiciProviderEndpoints());
  made(agentTokens.introspectionEndpoint, {}, () => new UndiciIntrospectionEndpoint());
  made(
    agentTokens.knownProviders,
    {
      source: agentTokens.keySetSource,
      clock: sharedTokens.clock,
      scheduler: sharedTokens.scheduler,
      random: sharedTokens.random,
      logger: sharedTokens.logger,
    },
    (parts) => new ProviderEndpointRegistry(parts),
  );
  made(
    agentTokens.samlServices,
    {
      verifier: agentTokens.samlDocumentVerifier,
      keys: agentTokens.samlKeys,
      trusts: agentTokens.identityProviderTrusts,
    },
    ({ verifier, keys, trusts }): SamlServices => ({
      verifier,
      warmUp: () => verifier.warmUp(),
      keys,
      trusts,
    }),
  );
  made(
    agentTokens.agentProcessServices,
    {
      clock: sharedTokens.clock,
      scheduler: sharedTokens.scheduler,
      logger: sharedTokens.logger,
      random: sharedTokens.random,
      digest: agentTokens.secretDigest,
      keys: agentTokens.verificationKeys,
      signingKeys: agentTokens.tokenSigningKeys,
      files: agentTokens.textFileReader,
      changingFiles: agentTokens.changingFiles,
      policyFiles: agentTokens.policyFiles,
      keySets: agentTokens.keySets,
      loadCertificateReader: agentTokens.loadCertificateReader,
      passwords: agentTokens.passwordChecks,
      spentAssertions: agentTokens.spentAssertions,
      rates: agentTokens.exchangeRates,
      stores: agentTokens.sessionStoreLeases,
      saml: agentTokens.samlServices,
      endpoints: agentTokens.providerEndpoints,
      introspection: agentTokens.introspectionEndpoint,
      providers: agentTokens.knownProviders,
    },
    ({
      clock,
      scheduler,
      logger,
      random,
      digest,
      keys,
      signingKeys,
      files,
      changingFiles,
      policyFiles,
      keySets,
      loadCertificateReader,
      passwords,
      spentAssertions,
      rates,
      stores,
      saml,
      endpoints,
      introspection,
      providers,
    }): SharedAgentServices => ({
      name: null,
      clock,
      scheduler,
      logger,
      random,
      digest,
      keys,
      signingKeys,
      files,
      changingFiles,
      policyFiles,
      keySets,
      fingerprints: nodeCertificateFingerprints,
      loadCertificateReader,
      passwords,
      spentAssertions: spentAssertions.of(null),
      exchangeRates: new ExchangeRates(rates, null),
      sessions: { stores, storeKindFault },
      saml,
      oidc: {
        endpoints,
        introspection,
        hashes: new CryptoTokenHashes(),
        secrets: new CryptoSessionSecrets(),
        providers,
      },
    }),
  );
  made(
    agentTokens.agentFactory,
    {
      parts: agentTokens.agentProcessServices,
      sharedKeySets: agentTokens.keySets,
      spent: agentTokens.spentAssertions,
      rates: agentTokens.exchangeRates,
      random: sharedTokens.random,
      version: sharedTokens.version,
    },
    ({ parts, sharedKeySets, spent, rates, random, version }): AgentFactory =>
      (start: StartOptions, embeddedName?: string) => {
        const description = { agentId: random.uuid(), version, ...agentReportIntervals(start) };
        const logger =
          embeddedName === undefined ? parts.logger : new LoggerWithFields(parts.logger, { agent: embeddedName });
        const keySets = new AgentKeySets(sharedKeySets);
        const counters = new AgentServiceCounters();
        const spentAssertions = spent.of(embeddedName ?? null);
        const exchangeRates = new ExchangeRates(rates, embeddedName ?? null);
        const own = { name: embeddedName ?? null, keySets, logger, outcomes: counters, spentAssertions, exchangeRates };
        const configuration = new AgentConfigurationInForce(start, { ...parts, ...own });
        const { clock, scheduler } = parts;
        return new AuthAgent(description, { configuration, keySets, counters, clock, scheduler, logger });
      },
  );
});
