import { createHash, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import type { CleanUp } from '../shared/clean-up.js';
import { type GatewayStack, startStack } from '../shared/gateway-stack.js';
import type { HttpAnswer, HttpCall } from '../shared/http-call.js';
import { type TemporaryFolder, temporaryFolder } from '../shared/temporary-folder.js';
import { idpEntityId, spEntityId } from './saml-documents.js';
import { idpKey } from './saml-keys.js';
import { ecPair, type KeyPair, publicPem, rsaPair } from './test-tokens.js';

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const tokenType = (kind: string): string => `urn:ietf:params:oauth:token-type:${kind}`;

/** The company's identity provider: who signs the tokens that services come with. */
export const partnerIssuer = 'https://id.partner.example';
/** What its tokens are meant for. */
export const partnerAudience = 'https://gateway.example';

export const clientSecrets = {
  'service-a': 'the-secret-of-service-a-0123456789',
  'service-b': 'the-secret-of-service-b-0123456789',
  'odd:client +%': 'a secret:with +% and more',
  /** Of a client that may not exchange anything. */
  idle: 'the-secret-of-an-idle-client-0123456789',
} as const;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const quoted = (text: string): string => JSON.stringify(text);

/** Private PEM (PKCS #8) of a key. */
export const privatePem = ({ privateKey }: KeyPair): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const encodePart = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');

/** Basic as OAuth has it: id and secret form-encoded, each (RFC 6749, section 2.3.1). */
export const basicOf = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodePart(id)}:${encodePart(secret)}`).toString('base64')}`;

export const basicFor = (id: keyof typeof clientSecrets): string => basicOf(id, clientSecrets[id]);

/** A form; an undefined value leaves the field out, an array repeats it. */
export type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>;

export const formText = (fields: FormFields): string => {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of value === undefined ? [] : [value].flat()) text.append(name, one);
  }
  return text.toString();
};

export interface ExchangeCompany {
  readonly stack: GatewayStack;
  readonly folder: TemporaryFolder;
  readonly issuer: string;
  readonly endpointUrl: string;
  /** The key with which the client `service-k` signs its assertions. */
  readonly clientKey: KeyPair;
  /** Changes the plan and reloads the gateway; resolves once it is in force. */
  replan(changes: Partial<ExchangeCompanyPlan>): Promise<void>;
  /** A token of the identity provider; an undefined member is left out. */
  partnerToken(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Posts to the token endpoint, as `service-a` unless the headers say otherwise. */
  post(fields: FormFields, options?: HttpCall): Promise<HttpAnswer>;
  /** An exchange in order, changed by the fields: a token of the identity provider for one of ours, as `service-a`. */
  exchange(fields?: FormFields, options?: HttpCall): Promise<HttpAnswer>;
}

export interface ExchangeCompanyPlan {
  readonly transport: 'embedded' | 'socket';
  readonly algorithm?: 'RS256' | 'ES256' | 'HS256' | 'PS256' | 'EdDSA';
  /** Contents of the signing-key-file; null: an RSA key of its own. */
  readonly keyTexts?: readonly string[];
  /** Members of the `token-exchange` block on top of its own. */
  readonly members?: string;
  /** In place of the clients; empty: there are none. */
  readonly clients?: string;
  /** Further options of the agent. */
  readonly agentMembers?: string;
  readonly agentEvents?: string;
  readonly listenerMembers?: string;
}

const partner = rsaPair();
const ownRsa = rsaPair();

const usualClients = (clientKeyFile: string): string => `clients {
  client "service-a" {
    secret ${quoted(clientSecrets['service-a'])}
    allowed-audiences "service-b" "https://b.example/api" "https://b.example/api?v=1" "orders"
  }
  client "service-b" {
    secret "sha256:${sha256(clientSecrets['service-b'])}"
    allowed-audiences "service-c"
  }
  client "service-k" {
    public-key-file ${quoted(clientKeyFile)}
    allowed-audiences "service-b"
  }
  client ${quoted('odd:client +%')} {
    secret ${quoted(clientSecrets['odd:client +%'])}
    allowed-audiences "service-b"
  }
  client "idle" {
    secret ${quoted(clientSecrets.idle)}
    allowed-exchanges #null
  }
}`;

/**
 * Members of the agent's configuration: the identity provider, our own tokens as bearer tokens, SAML, and token
 * exchange.
 */
const agentConfigOf =
  (plan: ExchangeCompanyPlan, folder: TemporaryFolder, clientKeyFile: string) =>
  (port: number): string => {
    const keys = (plan.keyTexts ?? [privatePem(ownRsa)]).map((text, index) => folder.write(`signing-${index}`, text));
    return `
      jwt-algorithm "RS256"
      jwt-public-key ${quoted(folder.write('partner.pem', publicPem(partner.publicKey)))}
      jwt-issuer "${partnerIssuer}"
      jwt-audience "${partnerAudience}"
      oidc "own" { enabled #true; issuer "http://127.0.0.1:${port}"; jwks-url "http://127.0.0.1:${port}/token/jwks"; audience "orders" }
      saml {
        enabled #true
        entity-id "${spEntityId}"
        acs-url "http://127.0.0.1:${port}/saml/acs"
        idp-entity-id "${idpEntityId}"
        idp-sso-url "https://idp.example/sso"
        idp-cert-file ${quoted(folder.write('idp.crt', idpKey().certificatePem))}
        session-store "memory"
        protected-paths "/pages"
      }
      token-exchange {
        enabled #true
        issuer "http://127.0.0.1:${port}"
        signing-key-file ${keys.map(quoted).join(' ')}
        signing-algorithm "${plan.algorithm ?? 'RS256'}"
        allowed-exchanges { subject-token-type "jwt"; issued-token-type "access_token" }
        allowed-exchanges { subject-token-type "jwt"; issued-token-type "jwt" }
        allowed-exchanges { subject-token-type "access_token"; issued-token-type "access_token" }
        allowed-exchanges { subject-token-type "id_token"; issued-token-type "access_token" }
        allowed-exchanges { subject-token-type "saml2"; issued-token-type "access_token" }
        ${plan.clients ?? usualClients(clientKeyFile)}
        ${plan.members ?? ''}
      }
      ${plan.agentMembers ?? ''}`;
  };

export const nowSecs = (): number => Math.floor(Date.now() / 1000);

export const signedToken = (
  key: KeyObject | Uint8Array,
  alg: string,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> =>
  new SignJWT(JSON.parse(JSON.stringify(claims)) as JWTPayload).setProtectedHeader({ alg, ...header }).sign(key);

const partnerClaims = (): Readonly<Record<string, unknown>> => ({
  iss: partnerIssuer,
  aud: partnerAudience,
  sub: 'ada',
  email: 'ada@example.com',
  roles: ['editor'],
  scope: 'orders:read orders:write profile',
  client_id: 'the-app',
  iat: nowSecs(),
  exp: nowSecs() + 300,
});

/** Starts a gateway whose agent issues tokens, with two services as its clients. */
export const startExchangeCompany = async (cleanUp: CleanUp, plan: ExchangeCompanyPlan): Promise<ExchangeCompany> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const clientKey = ecPair();
  const clientKeyFile = folder.write('client.pem', publicPem(clientKey.publicKey));
  const stack = await startStack(cleanUp, {
    transport: plan.transport,
    agentMembers: plan.agentEvents ?? 'events "request_headers" "request_body_chunk"; timeout-ms 5000',
    ...(plan.listenerMembers !== undefined && { listenerMembers: plan.listenerMembers }),
    agentConfig: agentConfigOf(plan, folder, clientKeyFile),
  });
  const issuer = `http://127.0.0.1:${stack.port}`;
  const post = (fields: FormFields, { headers, ...options }: HttpCall = {}): Promise<HttpAnswer> =>
    stack.ask({
      path: '/token/exchange',
      method: 'POST',
      headers: headers ?? {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: basicFor('service-a'),
      },
      body: formText(fields),
      ...options,
    });
  const partnerToken: ExchangeCompany['partnerToken'] = (claims = {}, header = {}) =>
    signedToken(partner.privateKey, 'RS256', { ...partnerClaims(), ...claims }, header);
  return {
    stack,
    folder,
    replan: (changes) => {
      stack.rewrite({ agentConfig: agentConfigOf({ ...plan, ...changes }, folder, clientKeyFile) });
      return stack.reload();
    },
    issuer,
    endpointUrl: `${issuer}/token/exchange`,
    clientKey,
    partnerToken,
    post,
    exchange: async (fields = {}, options = {}) =>
      post(
        {
          grant_type: exchangeGrant,
          subject_token: fields['subject_token'] ?? (await partnerToken()),
          subject_token_type: tokenType('jwt'),
          audience: 'service-b',
          ...fields,
        },
        options,
      ),
  };
};
