import { describe, expect } from 'vitest';
import { KdlConfigurationSource } from '../../../../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { XmlCryptoDocumentVerifier } from '../../../../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import { agentTokens } from '../../../../../../src/bootstrap/agent/agent-tokens.js';
import { gatewayContainer, startGateway } from '../../../../../../src/bootstrap/gateway/start-gateway.js';
import { addAgentModule } from '../../../../../../src/bootstrap/shared/embedded-agents.js';
import { samlConfig } from '../../../../../support/agent/saml-agent.js';
import { idpKey } from '../../../../../support/agent/saml-keys.js';
import { testAgent } from '../../../../../support/agent/test-agent.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { freePort } from '../../../../../support/shared/free-port.js';
import { untilTrue } from '../../../../../support/shared/gateway-stack.js';
import { call } from '../../../../../support/shared/http-call.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../../../support/shared/temporary-folder.js';

/** A verifier whose warm-up ends when the test says so. */
class HeldVerifier extends XmlCryptoDocumentVerifier {
  endWarmUp: (isWarm: boolean) => void = () => undefined;
  #warmedUp = this.#held();

  holdAgain(): void {
    this.#warmedUp = this.#held();
  }

  override warmUp(): Promise<boolean> {
    return this.#warmedUp;
  }

  #held(): Promise<boolean> {
    return new Promise((resolve) => {
      this.endWarmUp = resolve;
    });
  }
}

const folderWithCertificate = (cleanUp: CleanUp) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  return { folder, certificate: folder.write('idp.pem', idpKey().certificatePem) };
};

const startedAgent = async (cleanUp: CleanUp, verifier: HeldVerifier) => {
  const { certificate } = folderWithCertificate(cleanUp);
  const config = samlConfig(certificate, { 'session-store': 'memory', 'session-store-path': null });
  const made = testAgent(config, { saml: { verifier, warmUp: () => verifier.warmUp() } });
  cleanUp.add(() => made.agent.stop());
  expect((await made.agent.start()).ok).toBe(true);
  return made;
};

describe('an agent with single sign-on', () => {
  it('is degraded until its verifier is warm, then healthy', async ({ cleanUp }) => {
    const verifier = new HeldVerifier();
    const { agent, logger } = await startedAgent(cleanUp, verifier);
    expect(agent.health()).toMatchObject({
      state: 'degraded',
      message: 'single sign-on: the verifier is warming up',
      disabledFeatures: ['single_sign_on'],
    });
    const states: string[] = [];
    agent.onHealthChange(({ state }) => states.push(state));
    verifier.endWarmUp(true);
    await verifier.warmUp();
    expect(agent.health()).toMatchObject({ state: 'healthy', message: null, disabledFeatures: [] });
    expect(states).toEqual(['healthy']);
    expect(logger.lines.map(({ message }) => message).join()).not.toContain('warming up');
  });

  it('serves after a failed warm-up, and logs it', async ({ cleanUp }) => {
    const verifier = new HeldVerifier();
    const { agent, logger } = await startedAgent(cleanUp, verifier);
    verifier.endWarmUp(false);
    await verifier.warmUp();
    expect(agent.health().state).toBe('healthy');
    expect(logger.lines.map(({ message }) => message)).toContain(
      'warming up the verifier of SAML documents failed: the first sign-on takes longer',
    );
  });
});

describe('a gateway with an embedded agent with single sign-on', () => {
  const configuration = (port: number, admin: number, certificate: string, more: string): string => `
    admin { address "127.0.0.1:${admin}"; insecure-no-token #true }
    listeners { listener "main" { address "127.0.0.1:${port}" } }
    routes {
      route "open" { matches { path-prefix "/" }; builtin-handler "health" }
      route "app" { matches { path-prefix "/app" }; builtin-handler "health"; agents "auth" }
    }
    agents {
      agent "auth" {
        transport "embedded"
        events "request_headers" "request_body_chunk"
        timeout-ms 2000
        config {
          saml {
            enabled #true
            entity-id "https://app.example/saml"
            acs-url "https://app.example/saml/acs"
            idp-entity-id "https://idp.example"
            idp-sso-url "https://idp.example/sso"
            idp-cert-file "${certificate}"
            session-store "memory"
            ${more}
          }
        }
      }
    }`;

  const ready = async (port: number) => {
    const { status, body } = await call(port, { path: '/ready' });
    return { status, reasons: (JSON.parse(body) as { reasons?: readonly string[] }).reasons ?? [] };
  };

  it('serves at once, is ready with a warm verifier, and stays ready over a reload', async ({ cleanUp }) => {
    const { folder, certificate } = folderWithCertificate(cleanUp);
    const [port, admin] = [await freePort(), await freePort()];
    const file = folder.write('gateway.kdl', configuration(port, admin, certificate, ''));
    const verifier = new HeldVerifier();
    const container = gatewayContainer(
      file,
      new KdlConfigurationSource(file, { environment: {}, patterns: re2PathPatterns }),
      {
        logger: new RecordingLogger(),
        accessLog: { isOn: true, write: () => undefined },
        droppedAccessLines: () => 0,
        auditOutput: () => ({ write: () => undefined }) as never,
      },
    );
    await addAgentModule(container);
    container.rebind(agentTokens.samlDocumentVerifier).toConstantValue(verifier);
    const started = await startGateway(container);
    if (!started.ok)
      throw new Error(started.error.reason ?? JSON.stringify(started.error.problems), { cause: started.error.cause });
    cleanUp.add(() => started.value.stop(0));
    const app = { path: '/app', headers: { accept: 'text/html' } };
    expect((await call(port, { path: '/' })).status).toBe(200);
    expect((await call(port, app)).status).toBe(302);
    expect(await ready(admin)).toEqual({ status: 503, reasons: ['agent auth is starting'] });
    verifier.endWarmUp(true);
    await untilTrue('the gateway is ready', async () => (await ready(admin)).status === 200);
    verifier.holdAgain();
    folder.write('gateway.kdl', configuration(port, admin, certificate, 'session-ttl-secs 60'));
    expect((await started.value.reload()).ok).toBe(true);
    expect(await ready(admin)).toEqual({ status: 200, reasons: [] });
  });
});
