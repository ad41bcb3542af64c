import type { ProtectedResource } from '../../../domain/agent/configuration/resource-metadata-rules.js';
import { ownOrigin } from '../../../domain/agent/sign-on/cross-site-request.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { requestPath } from '../../../domain/http/path-normalisation.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { IssuerDocument } from '../exchange-token/issuer-documents.js';
import { DocumentEndpoint, type ServedDocument } from './document-endpoint.js';
import { type ProblemKind, problemAnswer } from './refusal.js';

/** Pages of every origin may read the metadata. */
const forEveryOrigin = ['Access-Control-Allow-Origin', '*'] as const;

const preflightAnswer: AgentAnswer = {
  ...allowAnswer,
  decision: {
    kind: 'block',
    status: 204,
    body: null,
    headers: [
      ...forEveryOrigin,
      ...['Access-Control-Allow-Methods', 'GET, HEAD'],
      ...['Access-Control-Allow-Headers', '*'],
      ...['Access-Control-Max-Age', '600'],
    ],
  },
};

const unknownResource: ProblemKind = {
  status: 404,
  title: 'Not found',
  detail: 'This host has no protected resource at this path.',
  code: 'not_found',
};

/** The host that the client asked; null: unknown. */
const hostOf = (event: RequestHeadersEvent): string | null => {
  const origin = ownOrigin(event);
  return origin === null ? null : origin.slice(origin.indexOf('://') + '://'.length);
};

const covers = ({ path }: ProtectedResource, requested: string): boolean =>
  path === '' || requested === path || requested.startsWith(path.endsWith('/') ? path : `${path}/`);

/** The metadata of protected resources (RFC 9728), and which of them covers a request. */
export class ProtectedResources {
  readonly endpoint: DocumentEndpoint;
  /** The longest path first. */
  readonly #resources: readonly ProtectedResource[];

  constructor(resources: readonly ProtectedResource[], digest: Pick<SecretDigest, 'sha256Hex'>) {
    this.#resources = resources.toSorted((one, other) => other.path.length - one.path.length);
    const documents = new Map(resources.map((resource) => [resource, documentOf(resource, digest)] as const));
    const served = resources.map(({ metadataPath }): readonly [string, ServedDocument] => [
      metadataPath,
      { answer: (event) => this.#answer(event, metadataPath, documents) },
    ]);
    this.endpoint = new DocumentEndpoint(new Map(served));
  }

  /**
   * The URL of the metadata for a challenge: of the resource that covers the request, or of the only one. Null: several
   * resources, none of which covers the request.
   */
  metadataUrlFor(event: RequestHeadersEvent): string | null {
    const host = hostOf(event);
    const path = requestPath(event.uri) ?? '';
    const covering = this.#resources.find((resource) => resource.host === host && covers(resource, path));
    return (covering ?? this.#only())?.metadataUrl ?? null;
  }

  #only(): ProtectedResource | undefined {
    return this.#resources.length === 1 ? this.#resources[0] : undefined;
  }

  #answer(
    event: RequestHeadersEvent,
    metadataPath: string,
    documents: ReadonlyMap<ProtectedResource, IssuerDocument>,
  ): AgentAnswer {
    if (event.method === 'OPTIONS') return preflightAnswer;
    const host = hostOf(event);
    const asked = this.#resources.find((resource) => resource.metadataPath === metadataPath && resource.host === host);
    const document = documents.get((asked ?? this.#only()) as ProtectedResource);
    return document?.answer(event) ?? problemAnswer(unknownResource, event, forEveryOrigin, ['not_found']);
  }
}

/** RFC 9728, section 2. */
const documentOf = (
  { resource, authorizationServers }: ProtectedResource,
  digest: Pick<SecretDigest, 'sha256Hex'>,
): IssuerDocument =>
  new IssuerDocument(
    'application/json',
    { resource, authorization_servers: [...authorizationServers], bearer_methods_supported: ['header'] },
    digest,
    forEveryOrigin,
  );
