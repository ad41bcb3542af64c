import { AllowedOrigins } from '../../http/allowed-origins.js';
import { listMembers } from '../../http/field-syntax.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';
import { withVary } from '../../http/vary-field.js';

/** The block `cors` of a route. */
export interface CorsPolicy {
  /** Serialised origins, with or without `*.` before the name, or `*` alone. */
  readonly allowOrigins: readonly string[];
  /** Case-sensitive. */
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  /** Never set beside `*`. */
  readonly allowCredentials: boolean;
  readonly maxAgeSecs: number;
}

/** The only value of a field; null: it is absent or repeated. */
const onlyValue = (headers: HeaderList, lowerName: string): string | null => {
  const values = allHeaders(headers, lowerName);
  return values.length === 1 ? (values[0] as string) : null;
};

const allowOriginField = 'access-control-allow-origin';
/** Begins the names of all fields of the CORS protocol. */
export const corsPrefix = 'access-control-';

/** The list without the fields of the CORS protocol. */
const withoutCorsFields = (headers: HeaderList): HeaderList => {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.slice(0, corsPrefix.length).toLowerCase() === corsPrefix) continue;
    kept.push(name, headers[index + 1] as string);
  }
  return kept;
};

/** The method that a preflight asks for (Fetch Standard, CORS protocol); null: the request is no preflight. */
export const preflightMethod = (method: string, headers: HeaderList): string | null => {
  if (method !== 'OPTIONS' || allHeaders(headers, 'origin').length === 0) return null;
  return allHeaders(headers, 'access-control-request-method')[0] ?? null;
};

/** The names, in lower case, of the headers that a preflight asks for. */
export const preflightHeaderNames = (headers: HeaderList): readonly string[] =>
  allHeaders(headers, 'access-control-request-headers').flatMap((value) =>
    listMembers(value).map((name) => name.toLowerCase()),
  );

const optionalField = (name: string, values: readonly string[]): HeaderList =>
  values.length === 0 ? [] : [name, values.join(', ')];

/** Adds the CORS fields of a route to response heads (Fetch Standard, CORS protocol). */
export class CorsResponder {
  readonly #origins: AllowedOrigins;
  readonly #methods: ReadonlySet<string>;
  /** In lower case. */
  readonly #headers: ReadonlySet<string>;
  /** Beside Access-Control-Allow-Origin, in every response to a listed origin. */
  readonly #sharedFields: HeaderList;
  /** Beside Access-Control-Allow-Origin, in the response to a preflight. */
  readonly #preflightFields: HeaderList;

  constructor(policy: CorsPolicy) {
    const { allowCredentials, allowHeaders, allowMethods, exposeHeaders, maxAgeSecs } = policy;
    const credentials = allowCredentials ? ['Access-Control-Allow-Credentials', 'true'] : [];
    this.#origins = new AllowedOrigins(policy.allowOrigins);
    this.#methods = new Set(allowMethods);
    this.#headers = new Set(allowHeaders.map((name) => name.toLowerCase()));
    this.#sharedFields = [...credentials, ...optionalField('Access-Control-Expose-Headers', exposeHeaders)];
    this.#preflightFields = [
      ...credentials,
      'Access-Control-Allow-Methods',
      allowMethods.join(', '),
      ...optionalField('Access-Control-Allow-Headers', allowHeaders),
      'Access-Control-Max-Age',
      String(maxAgeSecs),
    ];
  }

  /**
   * The head of a response to a request with these headers. The fields of an upstream are removed. An agent that
   * answers with Access-Control-Allow-Origin keeps its fields: it publishes a document.
   */
  withFields(head: HeaderList, request: HeaderList, isFromUpstream: boolean): HeaderList {
    if (!isFromUpstream && allHeaders(head, allowOriginField).length > 0) return withVary(head, 'Origin');
    const varying = withVary(withoutCorsFields(head), 'Origin');
    const allowed = this.#allowedOrigin(request);
    return allowed === null ? varying : [...varying, 'Access-Control-Allow-Origin', allowed, ...this.#sharedFields];
  }

  /** The head of the response to a preflight. It has CORS fields only if everything that it asks for is listed. */
  withPreflightFields(head: HeaderList, request: HeaderList): HeaderList {
    const varying = withVary(withoutCorsFields(head), 'Origin');
    const allowed = this.#allowedOrigin(request);
    if (allowed === null || !this.#allowsWhatIsAsked(request)) return varying;
    return [...varying, 'Access-Control-Allow-Origin', allowed, ...this.#preflightFields];
  }

  #allowedOrigin(request: HeaderList): string | null {
    const origin = onlyValue(request, 'origin');
    return origin === null ? null : this.#origins.answerTo(origin);
  }

  #allowsWhatIsAsked(request: HeaderList): boolean {
    const method = onlyValue(request, 'access-control-request-method');
    return (
      method !== null &&
      this.#methods.has(method) &&
      preflightHeaderNames(request).every((name) => this.#headers.has(name))
    );
  }
}
