import { redirectLocation, redirectQuery } from '../../../../domain/agent/saml/messages/redirect-location.js';
import type { SamlKeys, ServiceProviderKey } from '../../../ports/agent/saml-keys.js';

export interface RedirectedMessage {
  /** Where the identity provider takes it. */
  readonly location: string;
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  readonly xml: string;
  readonly relayState: string | null;
}

/** Makes the URLs that bring messages of ours to the identity provider by the browser, signed where there is a key. */
export class RedirectMessages {
  readonly #keys: Pick<SamlKeys, 'deflate'>;
  readonly #key: ServiceProviderKey | null;

  constructor(keys: Pick<SamlKeys, 'deflate'>, key: ServiceProviderKey | null) {
    this.#keys = keys;
    this.#key = key;
  }

  /** Rejects where the key cannot sign, which was found out when it was read. */
  async url({ location, parameter, xml, relayState }: RedirectedMessage): Promise<string> {
    const key = this.#key;
    const encoded = this.#keys.deflate(xml);
    const signatureAlgorithm = key === null ? null : key.signatureAlgorithm;
    const query = redirectQuery({ parameter, encoded, relayState, signatureAlgorithm });
    return redirectLocation(location, query, key === null ? null : await key.sign(query));
  }
}
