import { optionProblemText } from '../../../domain/agent/configuration/option-problem-text.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { IdentityProviderTrust } from '../sign-on/saml/trust/identity-provider-trust.js';
import { optionProblem } from './option-problem.js';

const unmet = optionProblem(
  'warning',
  'saml',
  'the identity provider wants signed requests (WantAuthnRequestsSigned), and there is no sp-key-file: sign-ons will be refused by it',
  { key: 'sp-key-file' },
);

/** Whether the identity provider wants requests signed that cannot be, for want of a key. */
export class SigningDemand {
  readonly #trust: Pick<IdentityProviderTrust, 'current' | 'onChange'>;
  readonly #hasKey: boolean;
  readonly #logger: Pick<Logger, 'warn'>;
  #wants = false;
  #end: () => void = () => undefined;

  constructor(
    trust: Pick<IdentityProviderTrust, 'current' | 'onChange'>,
    hasKey: boolean,
    logger: Pick<Logger, 'warn'>,
  ) {
    this.#trust = trust;
    this.#hasKey = hasKey;
    this.#logger = logger;
  }

  /** What there is to say now; from here on the log is told whenever metadata begins to want it. To be called once. */
  begin(): AgentOptionProblem[] {
    if (this.#hasKey) return [];
    this.#end = this.#trust.onChange(() => {
      if (this.#begins()) this.#logger.warn(optionProblemText(unmet));
    });
    return this.#begins() ? [unmet] : [];
  }

  stop(): void {
    this.#end();
  }

  /** While nothing is known of the provider, what it wanted last counts. */
  #begins(): boolean {
    const before = this.#wants;
    this.#wants = this.#trust.current()?.wantsSignedRequests ?? before;
    return this.#wants && !before;
  }
}
