import type { TokenExchangeOptions } from '../../../domain/agent/configuration/token-exchange-options.js';
import { type ClientMethods, issuerMetadata } from '../../../domain/agent/token-exchange/issuer-metadata.js';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { allHeaders, type HeaderList } from '../../../domain/http/header-list.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { PublishedKey } from '../../ports/agent/token-signing-keys.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { type ProblemKind, problemAnswer } from '../agent-service/refusal.js';

/** Short: a key that is published before it signs is known everywhere within minutes. */
const caching = 'public, max-age=300';

const methodNotAllowed: ProblemKind = {
  status: 405,
  title: 'Method not allowed',
  detail: 'Use GET or HEAD.',
  code: 'method_not_allowed',
};

const bodyAnswer = (status: number, body: string | null, headers: HeaderList): AgentAnswer => ({
  ...allowAnswer,
  decision: { kind: 'block', status, body, headers },
});

/** Whether the client's cached document is current (RFC 9110, section 13.1.2). */
const namesTag = (headers: HeaderList, tag: string): boolean =>
  allHeaders(headers, 'if-none-match').some((list) =>
    list.split(',').some((entry) => {
      const named = entry.trim();
      return named === '*' || named === tag || named === `W/${tag}`;
    }),
  );

/** A static document, prepared once. */
export class IssuerDocument {
  readonly #whole: AgentAnswer;
  readonly #unchanged: AgentAnswer;
  readonly #tag: string;

  /** @param headers further headers of the answers */
  constructor(
    contentType: string,
    content: JsonObject,
    digest: Pick<SecretDigest, 'sha256Hex'>,
    headers: HeaderList = [],
  ) {
    const body = JSON.stringify(content);
    this.#tag = `"${digest.sha256Hex(body)}"`;
    const validators = ['Cache-Control', caching, 'ETag', this.#tag, ...headers];
    this.#whole = bodyAnswer(200, body, ['Content-Type', contentType, ...validators]);
    this.#unchanged = bodyAnswer(304, null, validators);
  }

  answer(event: RequestHeadersEvent): AgentAnswer {
    if (event.method !== 'GET' && event.method !== 'HEAD') {
      const headers = ['Allow', 'GET, HEAD', 'Cache-Control', 'no-store'];
      return problemAnswer(methodNotAllowed, event, headers, ['method_not_allowed']);
    }
    return namesTag(event.headers, this.#tag) ? this.#unchanged : this.#whole;
  }
}

/** The public documents of the issuer. */
export interface IssuerDocuments {
  /** The public keys that verify its tokens (RFC 7517, section 5). */
  readonly keys: IssuerDocument;
  /** RFC 8414. */
  readonly metadata: IssuerDocument;
}

const clientMethods = (
  { clients }: TokenExchangeOptions,
  algorithms: readonly AsymmetricAlgorithm[],
): ClientMethods | null =>
  clients && {
    bySecret: clients.some(({ secrets }) => secrets.length > 0),
    byKey: clients.some(({ publicKeyFiles }) => publicKeyFiles.length > 0),
    algorithms,
  };

/** One JWK per kid; secrets are never published. */
const publishedKeys = (keys: readonly PublishedKey[]): readonly JsonObject[] => [
  ...new Map(keys.flatMap(({ kid, publicJwk }) => (publicJwk === null ? [] : [[kid, publicJwk] as const]))).values(),
];

/** The public keys of an issuer (RFC 7517, section 5). */
export const keySetDocument = (
  keys: readonly PublishedKey[],
  digest: Pick<SecretDigest, 'sha256Hex'>,
): IssuerDocument => new IssuerDocument('application/jwk-set+json', { keys: publishedKeys(keys) }, digest);

export const issuerDocuments = (
  options: TokenExchangeOptions,
  keys: readonly PublishedKey[],
  clientAlgorithms: readonly AsymmetricAlgorithm[],
  digest: Pick<SecretDigest, 'sha256Hex'>,
): IssuerDocuments => {
  const published = publishedKeys(keys);
  const { issuer, endpointUrl, allowedScopes } = options;
  const metadata = issuerMetadata({
    issuer,
    endpointUrl,
    jwksUrl: published.length > 0 ? options.jwksUrl : null,
    clients: clientMethods(options, clientAlgorithms),
    scopes: allowedScopes ?? [],
  });
  return {
    keys: keySetDocument(keys, digest),
    metadata: new IssuerDocument('application/json', metadata, digest),
  };
};
