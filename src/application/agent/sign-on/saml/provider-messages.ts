import { signedInfoXml, signedMessage } from '../../../../domain/agent/saml/messages/message-signature.js';
import type { AgentAnswer, HeaderOperation } from '../../../../domain/agent-protocol/messages.js';
import type { SamlKeys, ServiceProviderKey } from '../../../ports/agent/saml-keys.js';
import { type RedirectedMessage, RedirectMessages } from './redirect-messages.js';
import { postingPage, redirectAnswer } from './sign-on-answers.js';

/** A message of ours for the identity provider. */
export interface ProviderMessage extends RedirectedMessage {
  /** ID of the message. */
  readonly id: string;
  /** It goes by HTTP-POST, else by HTTP-Redirect. */
  readonly byPost: boolean;
}

/** Sends the browser to the identity provider with messages of ours, signed where there is a key. */
export class ProviderMessages {
  readonly #keys: Pick<SamlKeys, 'deflate' | 'encode' | 'digest'>;
  readonly #key: ServiceProviderKey | null;
  readonly #redirects: RedirectMessages;

  constructor(keys: Pick<SamlKeys, 'deflate' | 'encode' | 'digest'>, key: ServiceProviderKey | null) {
    this.#keys = keys;
    this.#key = key;
    this.#redirects = new RedirectMessages(keys, key);
  }

  /** Rejects where the key cannot sign, which was found out when it was read. */
  async answer(message: ProviderMessage, operations: readonly HeaderOperation[]): Promise<AgentAnswer> {
    if (!message.byPost) return redirectAnswer(await this.#redirects.url(message), operations);
    const { location, parameter, relayState } = message;
    const fields = { [parameter]: this.#keys.encode(await this.#signed(message)) };
    return postingPage(location, relayState === null ? fields : { ...fields, RelayState: relayState }, operations);
  }

  /** With an enveloped signature: by HTTP-POST a message brings its own (SAML bindings, section 3.5.4). */
  async #signed({ id, xml }: ProviderMessage): Promise<string> {
    const key = this.#key;
    if (key === null) return xml;
    const signedInfo = signedInfoXml(id, this.#keys.digest(xml), key.signatureAlgorithm);
    return signedMessage(xml, signedInfo, await key.sign(signedInfo));
  }
}
