import { signedInfoXml, signedMessage } from '../../../../domain/agent/saml/messages/message-signature.js';
import { redirectLocation, redirectQuery } from '../../../../domain/agent/saml/messages/redirect-location.js';
import type { AgentAnswer, HeaderOperation } from '../../../../domain/agent-protocol/messages.js';
import type { SamlKeys, ServiceProviderKey } from '../../../ports/agent/saml-keys.js';
import { postingPage, redirectAnswer } from '../shared/sign-on-answers.js';

export interface RedirectedMessage {
  /** The endpoint of the identity provider. */
  readonly location: string;
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  readonly xml: string;
  readonly relayState: string | null;
}

/** Builds URLs of the HTTP-Redirect binding, signed if there is a key. */
export class RedirectMessages {
  readonly #keys: Pick<SamlKeys, 'deflate'>;
  readonly #key: ServiceProviderKey | null;

  constructor(keys: Pick<SamlKeys, 'deflate'>, key: ServiceProviderKey | null) {
    this.#keys = keys;
    this.#key = key;
  }

  /** Rejects if the key cannot sign, which the check of a loaded key excludes. */
  async url({ location, parameter, xml, relayState }: RedirectedMessage): Promise<string> {
    const key = this.#key;
    const encoded = this.#keys.deflate(xml);
    const signatureAlgorithm = key === null ? null : key.signatureAlgorithm;
    const query = redirectQuery({ parameter, encoded, relayState, signatureAlgorithm });
    return redirectLocation(location, query, key === null ? null : await key.sign(query));
  }
}

/** A message to the identity provider. */
export interface ProviderMessage extends RedirectedMessage {
  /** The ID of the message. */
  readonly id: string;
  /** HTTP-POST if true, otherwise HTTP-Redirect. */
  readonly byPost: boolean;
}

/** Sends messages to the identity provider through the browser, signed if there is a key. */
export class ProviderMessages {
  readonly #keys: Pick<SamlKeys, 'deflate' | 'encode' | 'digest'>;
  readonly #key: ServiceProviderKey | null;
  readonly #redirects: RedirectMessages;

  constructor(keys: Pick<SamlKeys, 'deflate' | 'encode' | 'digest'>, key: ServiceProviderKey | null) {
    this.#keys = keys;
    this.#key = key;
    this.#redirects = new RedirectMessages(keys, key);
  }

  /** Rejects if the key cannot sign, which the check of a loaded key excludes. */
  async answer(message: ProviderMessage, operations: readonly HeaderOperation[]): Promise<AgentAnswer> {
    if (!message.byPost) return redirectAnswer(await this.#redirects.url(message), operations);
    const { location, parameter, relayState } = message;
    const fields = { [parameter]: this.#keys.encode(await this.#signed(message)) };
    return postingPage(location, relayState === null ? fields : { ...fields, RelayState: relayState }, operations);
  }

  /** Adds the enveloped signature of HTTP-POST (SAML bindings, section 3.5.4). */
  async #signed({ id, xml }: ProviderMessage): Promise<string> {
    const key = this.#key;
    if (key === null) return xml;
    const signedInfo = signedInfoXml(id, this.#keys.digest(xml), key.signatureAlgorithm);
    return signedMessage(xml, signedInfo, await key.sign(signedInfo));
  }
}
