import { ContainerModule } from 'inversify';
import { HmacSecretDigest } from '../../adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { JoseTokenSigningKeys } from '../../adapters/outbound/jose-tokens/jose-token-signing-keys.js';
import { JoseVerificationKeys } from '../../adapters/outbound/jose-tokens/jose-verification-keys.js';
import { NodePolicyFiles } from '../../adapters/outbound/node-text-files/node-policy-files.js';
import { NodeTextFileReader } from '../../adapters/outbound/node-text-files/node-text-file-reader.js';
import { NativePasswordVerifier } from '../../adapters/outbound/password-hashes/native-password-verifier.js';
import { UndiciKeySetSource } from '../../adapters/outbound/undici-documents/undici-key-set-source.js';
import { UndiciMetadataSource } from '../../adapters/outbound/undici-documents/undici-metadata-source.js';
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
import type { SamlParts } from '../../application/agent/configure-agent/saml-parts.js';
import { ExchangeRates } from '../../application/agent/exchange-token/exchange-rates.js';
import { SpentAssertionsOfAgents } from '../../application/agent/exchange-token/spent-assertions.js';
import { KeySets } from '../../application/agent/keys/key-sets.js';
import { noOtherProcesses } from '../../application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../application/agent/sessions/session-store-leases.js';
import { IdentityProviderTrusts } from '../../application/agent/sign-on/saml/trust/identity-provider-trusts.js';
import type { CertificateReaderLoader } from '../../application/ports/shared/certificate-reader.js';
import { agentDefaults } from '../../domain/agent/configuration/agent-configuration.js';
import { sharedTokens } from '../shared/shared-tokens.js';
import { type AgentFactory, agentTokens, type SharedAgentParts } from './agent-tokens.js';
import { openSessionStores, storeKindFault } from './session-store-openers.js';

/** How often an agent reports, in milliseconds. */
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

/** The agent and its adapters. Needs everything of `sharedTokens`, and buckets for the rates of token exchange. */
export const agentModule = new ContainerModule(({ bind }) => {
  bind(agentTokens.secretDigest)
    .toResolvedValue(() => new HmacSecretDigest(), [])
    .inSingletonScope();
  bind(agentTokens.verificationKeys)
    .toResolvedValue(() => new JoseVerificationKeys(), [])
    .inSingletonScope();
  bind(agentTokens.tokenSigningKeys)
    .toResolvedValue(() => new JoseTokenSigningKeys(), [])
    .inSingletonScope();
  bind(agentTokens.textFileReader)
    .toResolvedValue(() => new NodeTextFileReader(), [])
    .inSingletonScope();
  bind(agentTokens.policyFiles)
    .toResolvedValue(() => new NodePolicyFiles(), [])
    .inSingletonScope();
  bind(agentTokens.keySetSource)
    .toResolvedValue(() => new UndiciKeySetSource(), [])
    .inSingletonScope();
  bind(agentTokens.keySets)
    .toResolvedValue(
      (source, keys, clock, scheduler, random, logger) =>
        new KeySets({ source, keys, clock, scheduler, random, logger }),
      [
        agentTokens.keySetSource,
        agentTokens.verificationKeys,
        sharedTokens.clock,
        sharedTokens.scheduler,
        sharedTokens.random,
        sharedTokens.logger,
      ],
    )
    .inSingletonScope();
  bind(agentTokens.loadCertificateReader).toConstantValue(loadCertificateReader);
  bind(agentTokens.passwordVerifier)
    .toResolvedValue(() => new NativePasswordVerifier(), [])
    .inSingletonScope();
  bind(agentTokens.passwordChecks)
    .toResolvedValue(
      (verifier, clock, logger) => new PasswordChecks({ verifier, clock, logger }),
      [agentTokens.passwordVerifier, sharedTokens.clock, sharedTokens.logger],
    )
    .inSingletonScope();
  bind(agentTokens.spentAssertions)
    .toResolvedValue((clock) => new SpentAssertionsOfAgents(clock), [sharedTokens.clock])
    .inSingletonScope();
  bind(agentTokens.samlDocumentVerifier)
    .toResolvedValue(() => new WorkerDocumentVerifier(new URL('./main-saml-verifier.js', import.meta.url)), [])
    .inSingletonScope();
  bind(agentTokens.samlKeys)
    .toResolvedValue(() => new NodeSamlKeys(), [])
    .inSingletonScope();
  bind(agentTokens.metadataSource)
    .toResolvedValue(() => new UndiciMetadataSource(), [])
    .inSingletonScope();
  bind(agentTokens.identityProviderTrusts)
    .toResolvedValue(
      (source, verifier, keys, clock, scheduler, random, logger) =>
        new IdentityProviderTrusts({ source, verifier, keys, clock, scheduler, random, logger }),
      [
        agentTokens.metadataSource,
        agentTokens.samlDocumentVerifier,
        agentTokens.samlKeys,
        sharedTokens.clock,
        sharedTokens.scheduler,
        sharedTokens.random,
        sharedTokens.logger,
      ],
    )
    .inSingletonScope();
  bind(agentTokens.samlStoreOpener)
    .toResolvedValue((logger) => openSessionStores(logger), [sharedTokens.logger])
    .inSingletonScope();
  bind(agentTokens.sessionEndings).toConstantValue(noOtherProcesses);
  bind(agentTokens.samlStoreLeases)
    .toResolvedValue(
      (opener, clock, logger, endings) => new SessionStoreLeases({ opener, clock, logger, endings }),
      [agentTokens.samlStoreOpener, sharedTokens.clock, sharedTokens.logger, agentTokens.sessionEndings],
    )
    .inSingletonScope();
  bind(agentTokens.samlParts)
    .toResolvedValue(
      (random, verifier, keys, trusts, stores): SamlParts => ({
        random,
        verifier,
        warmUp: () => verifier.warmUp(),
        keys,
        trusts,
        stores,
        storeKindFault,
      }),
      [
        sharedTokens.random,
        agentTokens.samlDocumentVerifier,
        agentTokens.samlKeys,
        agentTokens.identityProviderTrusts,
        agentTokens.samlStoreLeases,
      ],
    )
    .inSingletonScope();
  bind(agentTokens.agentParts)
    .toResolvedValue(
      (
        clock,
        scheduler,
        logger,
        digest,
        keys,
        signingKeys,
        files,
        policyFiles,
        keySets,
        loadCertificateReader,
        passwords,
        spentAssertions,
        rates,
        saml,
      ): SharedAgentParts => ({
        clock,
        scheduler,
        logger,
        digest,
        keys,
        signingKeys,
        files,
        policyFiles,
        keySets,
        fingerprints: nodeCertificateFingerprints,
        loadCertificateReader,
        passwords,
        spentAssertions: spentAssertions.of(null),
        exchangeRates: new ExchangeRates(rates, null),
        saml,
      }),
      [
        sharedTokens.clock,
        sharedTokens.scheduler,
        sharedTokens.logger,
        agentTokens.secretDigest,
        agentTokens.verificationKeys,
        agentTokens.tokenSigningKeys,
        agentTokens.textFileReader,
        agentTokens.policyFiles,
        agentTokens.keySets,
        agentTokens.loadCertificateReader,
        agentTokens.passwordChecks,
        agentTokens.spentAssertions,
        agentTokens.exchangeRates,
        agentTokens.samlParts,
      ],
    )
    .inSingletonScope();
  bind(agentTokens.agentFactory)
    .toResolvedValue(
      (parts, sharedKeySets, spent, rates, random, version): AgentFactory =>
        (start: StartOptions, embeddedName?: string) => {
          const facts = { agentId: random.uuid(), version, ...agentReportIntervals(start) };
          const logger =
            embeddedName === undefined ? parts.logger : new LoggerWithFields(parts.logger, { agent: embeddedName });
          const keySets = new AgentKeySets(sharedKeySets);
          const counters = new AgentServiceCounters();
          const spentAssertions = spent.of(embeddedName ?? null);
          const exchangeRates = new ExchangeRates(rates, embeddedName ?? null);
          const own = { keySets, logger, outcomes: counters, spentAssertions, exchangeRates };
          const configuration = new AgentConfigurationInForce(start, { ...parts, ...own });
          const { clock, scheduler } = parts;
          return new AuthAgent(facts, { configuration, keySets, counters, clock, scheduler, logger });
        },
      [
        agentTokens.agentParts,
        agentTokens.keySets,
        agentTokens.spentAssertions,
        agentTokens.exchangeRates,
        sharedTokens.random,
        sharedTokens.version,
      ],
    )
    .inSingletonScope();
});
