import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as samlify from 'samlify';
import { selfSignedCertificate } from './self-signed-certificate.js';
import { rsaPair } from './test-tokens.js';

// Everything that it parses has come from the program under test, which is what a schema would be checked against
// elsewhere.
samlify.setSchemaValidator({ validate: async () => 'not validated' });

const httpPost = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const httpRedirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const lifetimeMs = 300_000;

/** Who is signed in at the provider. */
export interface SamlUser {
  readonly nameId: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

/** The page that a browser posts to the service provider. */
export interface PostedPage {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface SamlProviderPlan {
  /** What of a response is signed. */
  readonly signs?: 'assertion' | 'response' | 'both';
  readonly encrypts?: boolean;
  /** AuthnRequests that are not signed are refused. */
  readonly wantsSignedRequests?: boolean;
  /** It takes messages by HTTP-POST alone. */
  readonly postOnly?: boolean;
}

interface KeyTexts {
  readonly key: string;
  readonly certificate: string;
}

/** A new RSA key with a certificate of its own, as PEM. */
export const newSamlKey = (commonName: string): KeyTexts => {
  const pair = rsaPair();
  const der = selfSignedCertificate(pair, commonName).toString('base64');
  return {
    key: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    certificate: `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const responseTemplate = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{ID}" Version="2.0" IssueInstant="{Now}" Destination="{Acs}" InResponseTo="{InResponseTo}"><saml:Issuer>{Issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="{AssertionID}" Version="2.0" IssueInstant="{Now}"><saml:Issuer>{Issuer}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">{NameID}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="{End}" Recipient="{Acs}" InResponseTo="{InResponseTo}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{Now}" NotOnOrAfter="{End}"><saml:AudienceRestriction><saml:Audience>{Audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="{AuthnInstant}" SessionIndex="{SessionIndex}"><saml:AuthnContext><saml:AuthnContextClassRef>{Context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>{Attributes}</saml:Assertion></samlp:Response>`;

const attributeStatement = (attributes: SamlUser['attributes']): string => {
  const one = ([name, values]: [string, readonly string[]]) =>
    `<saml:Attribute Name="${escaped(name)}">${values.map((value) => `<saml:AttributeValue>${escaped(value)}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
  return `<saml:AttributeStatement>${Object.entries(attributes).map(one).join('')}</saml:AttributeStatement>`;
};

const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

/** The page with the form that the browser of a user posts by itself. */
const formPage = ({ action, fields }: PostedPage): string => {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return `<!doctype html><title>Sign-on</title><form method="post" action="${escaped(action)}">${inputs.join('')}<button>Go on</button></form><script>document.forms[0].submit()</script>`;
};

const unescaped = (text: string): string =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

/** What the form of a page holds. */
export const readFormPage = (html: string): PostedPage => {
  const action = /<form method="post" action="([^"]*)">/.exec(html)?.[1];
  if (action === undefined) throw new Error(`no form: ${html.slice(0, 500)}`);
  const fields: Record<string, string> = {};
  for (const [, name = '', value = ''] of html.matchAll(/name="([^"]*)" value="([^"]*)"/g)) {
    fields[unescaped(name)] = unescaped(value);
  }
  return { action: unescaped(action), fields };
};

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
};

/**
 * A real SAML identity provider (the package samlify) on a free loopback port, with single sign-on and sign-out by
 * HTTP-Redirect. Everybody who comes is signed in as `user`, without being asked.
 */
export class LiveSamlProvider {
  readonly keys = newSamlKey('identity provider');
  user: SamlUser = { nameId: 'ada@example.com', attributes: { email: ['ada@example.com'], groups: ['dev', 'ops'] } };
  /** How the user authenticates. */
  context = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
  /** How long ago. */
  authenticatedAgoMs = 0;
  /** Requests for the metadata so far. */
  metadataRequests = 0;
  /** Session indexes of the sign-ons so far. */
  readonly sessionIndexes: string[] = [];
  /** What the service provider has sent to the sign-out address: names of the messages, or why one was refused. */
  readonly signOuts: string[] = [];
  readonly #plan: SamlProviderPlan;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(String(error));
    });
  });
  #port = 0;
  #service: ReturnType<typeof samlify.ServiceProvider> | null = null;

  constructor(plan: SamlProviderPlan = {}) {
    this.#plan = plan;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get entityId(): string {
    return `${this.origin}/metadata`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Knows a service provider from now on, by its metadata. */
  trust(metadata: string): void {
    this.#service = samlify.ServiceProvider({
      metadata,
      // What the package signs for a service provider is a setting of that one.
      wantLogoutRequestSigned: true,
      wantMessageSigned: this.#plan.signs !== undefined && this.#plan.signs !== 'assertion',
    });
  }

  metadata(): string {
    return this.#identity().getMetadata();
  }

  /** The page that answers an AuthnRequest, which came in this URL. */
  async signOn(url: string): Promise<PostedPage> {
    const { search, searchParams } = new URL(url);
    const query = Object.fromEntries(searchParams);
    const octetString = search.slice(1).split('&Signature=')[0] ?? '';
    return this.#answerTo(await this.#parsed('redirect', { query, octetString }), searchParams.get('RelayState'));
  }

  /** The page that answers an AuthnRequest, which came in this form. */
  async signOnBy({ fields }: PostedPage): Promise<PostedPage> {
    return this.#answerTo(await this.#parsed('post', { body: fields }), fields['RelayState'] ?? null);
  }

  async #parsed(binding: 'redirect' | 'post', message: object): Promise<Readonly<Record<string, unknown>>> {
    const { extract } = await this.#identity().parseLoginRequest(this.#trusted(), binding, message);
    return extract;
  }

  async #answerTo(extract: Readonly<Record<string, unknown>>, relayState: string | null): Promise<PostedPage> {
    const request = extract['request'] as { readonly id?: string } | undefined;
    const fields = { SAMLResponse: await this.response(request?.id ?? '') };
    return { action: this.acsUrl(), fields: relayState === null ? fields : { ...fields, RelayState: relayState } };
  }

  acsUrl(): string {
    return this.#trusted().entityMeta.getAssertionConsumerService('post') as string;
  }

  /** A response in base64; to nobody's request with an empty id. */
  async response(inResponseTo: string): Promise<string> {
    const sessionIndex = `_${randomUUID()}`;
    this.sessionIndexes.push(sessionIndex);
    const now = Date.now();
    const service = this.#trusted();
    const fill = (template: string) => {
      const id = `_${randomUUID()}`;
      const context = filled(template, {
        ID: id,
        AssertionID: `_${randomUUID()}`,
        Now: new Date(now).toISOString(),
        AuthnInstant: new Date(now - this.authenticatedAgoMs).toISOString(),
        Context: escaped(this.context),
        End: new Date(now + lifetimeMs).toISOString(),
        Acs: this.acsUrl(),
        Issuer: this.entityId,
        NameID: escaped(this.user.nameId),
        Audience: service.entityMeta.getEntityID(),
        SessionIndex: sessionIndex,
        InResponseTo: inResponseTo,
        Attributes: attributeStatement(this.user.attributes),
      });
      return { id, context: inResponseTo === '' ? context.replaceAll(' InResponseTo=""', '') : context };
    };
    const requestInfo = { extract: { request: { id: inResponseTo } } };
    const { context } = await this.#identity().createLoginResponse(
      service,
      requestInfo,
      'post',
      {},
      {
        customTagReplacement: fill,
        encryptThenSign: this.#plan.signs !== undefined && this.#plan.signs !== 'assertion',
      },
    );
    return context;
  }

  /** A signed LogoutRequest: the URL for HTTP-Redirect, or the page for HTTP-POST. */
  logoutRequest(binding: 'redirect', sessionIndex?: string): string;
  logoutRequest(binding: 'post', sessionIndex?: string): PostedPage;
  logoutRequest(binding: 'redirect' | 'post', sessionIndex = this.sessionIndexes.at(-1) ?? ''): string | PostedPage {
    const user = { logoutNameID: this.user.nameId, sessionIndex };
    const made = this.#identity().createLogoutRequest(this.#trusted(), binding, user, { relayState: 'provider-state' });
    if (binding === 'redirect') return made.context;
    const { entityEndpoint } = made as unknown as { readonly entityEndpoint: string };
    return { action: entityEndpoint, fields: { SAMLRequest: made.context, RelayState: 'provider-state' } };
  }

  #trusted(): ReturnType<typeof samlify.ServiceProvider> {
    if (this.#service === null) throw new Error('the provider knows no service provider');
    return this.#service;
  }

  #identity(): ReturnType<typeof samlify.IdentityProvider> {
    const binding = this.#plan.postOnly === true ? httpPost : httpRedirect;
    const service = (path: string) => ({ Binding: binding, Location: `${this.origin}${path}` });
    const settings = {
      // Read by the package, though its types do not name them; its own default is CBC.
      dataEncryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      entityID: this.entityId,
      privateKey: this.keys.key,
      signingCert: this.keys.certificate,
      requestSignatureAlgorithm: rsaSha256,
      isAssertionEncrypted: this.#plan.encrypts === true,
      wantAuthnRequestsSigned: this.#plan.wantsSignedRequests === true,
      wantLogoutRequestSigned: this.#plan.wantsSignedRequests === true,
      messageSigningOrder: 'encrypt-then-sign',
      singleSignOnService: [service('/sso')],
      singleLogoutService: [service('/slo')],
      loginResponseTemplate: { context: responseTemplate, attributes: [] },
    };
    return samlify.IdentityProvider(settings);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    const html = { 'content-type': 'text/html; charset=utf-8' };
    if (url.pathname === '/metadata') {
      this.metadataRequests += 1;
      response.writeHead(200, { 'content-type': 'application/samlmetadata+xml' }).end(this.metadata());
    } else if (request.method === 'POST' && this.#plan.postOnly === true) {
      const fields = Object.fromEntries(new URLSearchParams(await textOf(request)));
      if (url.pathname === '/sso') {
        response.writeHead(200, html).end(formPage(await this.signOnBy({ action: url.href, fields })));
      } else await this.#signOutBy(fields, response);
    } else if (url.pathname === '/sso') {
      response.writeHead(200, html).end(formPage(await this.signOn(url.href)));
    } else if (url.pathname === '/slo') {
      await this.#signOut(url, response);
    } else response.writeHead(404).end();
  }

  async #signOutBy(fields: PostedPage['fields'], response: ServerResponse): Promise<void> {
    const name = 'SAMLResponse' in fields ? 'LogoutResponse' : 'LogoutRequest';
    const identity = this.#identity();
    const message = { body: fields };
    if (name === 'LogoutResponse') await identity.parseLogoutResponse(this.#trusted(), 'post', message);
    else await identity.parseLogoutRequest(this.#trusted(), 'post', message);
    this.signOuts.push(name);
    response.writeHead(200, { 'content-type': 'text/plain' }).end('signed out');
  }

  async #signOut({ search, searchParams }: URL, response: ServerResponse): Promise<void> {
    const query = Object.fromEntries(searchParams);
    const octetString = search.slice(1).split('&Signature=')[0] ?? '';
    const identity = this.#identity();
    if (searchParams.has('SAMLResponse')) {
      await identity.parseLogoutResponse(this.#trusted(), 'redirect', { query, octetString });
      this.signOuts.push('LogoutResponse');
      response.writeHead(200, { 'content-type': 'text/plain' }).end('signed out everywhere');
      return;
    }
    const { extract } = await identity.parseLogoutRequest(this.#trusted(), 'redirect', { query, octetString });
    this.signOuts.push('LogoutRequest');
    const relayState = searchParams.get('RelayState') ?? '';
    const answer = identity.createLogoutResponse(this.#trusted(), { extract }, 'redirect', { relayState });
    response.writeHead(302, { location: answer.context }).end();
  }
}
