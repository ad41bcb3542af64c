import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { SamlBrowser } from './saml-browser.js';
import { idpEntityId, type ResponseParts, spEntityId } from './saml-documents.js';

/** The consumer URL of a gateway that listens on a port of this machine. */
export const acsUrlAt = (port: number): string => `http://127.0.0.1:${port}/saml/acs`;

/** A `saml` block for a provider that the test itself is, with `idpKey`. */
export const samlBlockAt = (port: number, certificateFile: string, storeFile: string): string => `
  saml {
    enabled #true
    entity-id "${spEntityId}"
    acs-url "${acsUrlAt(port)}"
    idp-entity-id "${idpEntityId}"
    idp-sso-url "https://idp.example/sso"
    idp-cert-file "${certificateFile}"
    session-store-path "${storeFile}"
  }`;

export interface BegunSignOn {
  readonly browser: SamlBrowser;
  readonly relayState: string;
  readonly requestId: string;
}

/** A sign-on that a browser has begun; null where the gateway sent it nowhere. */
export const beginSignOn = async (port: number): Promise<BegunSignOn | null> => {
  const browser = new SamlBrowser(port);
  const { status, headers } = await browser.visit('/app');
  if (status !== 302) return null;
  const { searchParams } = new URL(headers.location ?? '');
  const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  return {
    browser,
    relayState: searchParams.get('RelayState') ?? '',
    requestId: / ID="([^"]+)"/.exec(request)?.[1] ?? '',
  };
};

/** Parts of a response that is in order, to a request of now; no two have an id in common. */
export const partsFor = (port: number, requestId: string): Partial<ResponseParts> & { readonly assertion: object } => {
  const id = randomUUID();
  return {
    nowMs: Date.now(),
    destination: acsUrlAt(port),
    inResponseTo: requestId,
    id: `_response-${id}`,
    assertion: { id: `_assertion-${id}`, recipient: acsUrlAt(port) },
  };
};
