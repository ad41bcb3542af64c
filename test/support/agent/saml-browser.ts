import { call, type HttpAnswer, type HttpCall } from '../shared/http-call.js';
import { type LiveSamlProvider, type PostedPage, readFormPage } from './live-saml-provider.js';

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** What a browser sends with a navigation. */
const navigation = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

/** Browsers drop a cookie whose name says more than its attributes keep (RFC 6265bis, section 5.7). */
const isTaken = (name: string, path: string, attributes: readonly string[]): boolean => {
  if (!/^__(?:host|secure)-/i.test(name)) return true;
  const isForHost = path === '/' && !attributes.some((attribute) => attribute.startsWith('Domain='));
  return attributes.includes('Secure') && (isForHost || !/^__host-/i.test(name));
};

/**
 * A browser as far as single sign-on needs one: it keeps cookies by name and path, navigates, and posts the forms
 * that the identity provider gives it. It follows no redirect by itself, so that each step can be seen.
 */
export class SamlBrowser {
  readonly #port: number;
  readonly #cookies = new Map<string, Cookie>();

  constructor(port: number) {
    this.#port = port;
  }

  /** Value of a cookie; undefined where it has none by that name. */
  cookie(name: string): string | undefined {
    return this.#cookies.get(name)?.value;
  }

  cookieNames(): readonly string[] {
    return [...this.#cookies.keys()];
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, { value, path: '/' });
  }

  /** Goes to a path of the gateway. */
  async visit(path: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return this.#taken(
      await call(this.#port, { path, headers: { ...navigation, ...this.#cookieHeader(path), ...headers } }),
    );
  }

  /** Posts a form to the gateway. */
  async post({ action, fields }: PostedPage): Promise<HttpAnswer> {
    const { pathname, search } = new URL(action, 'http://gateway.example');
    const body = new URLSearchParams(fields).toString();
    const headers = {
      ...navigation,
      ...this.#cookieHeader(pathname),
      'content-type': 'application/x-www-form-urlencoded',
    };
    return this.#taken(await call(this.#port, { path: pathname + search, method: 'POST', headers, body }));
  }

  /** From a path that asks for a sign-on to the page that the provider answers with. */
  async pageFor(path: string): Promise<PostedPage> {
    const { status, headers, body } = await this.visit(path);
    if (status !== 302) throw new Error(`no redirect, but ${status}: ${body}`);
    return readFormPage(await (await fetch(headers.location ?? '')).text());
  }

  /** The whole sign-on; what the consumer path answered. */
  async signOn(path: string): Promise<HttpAnswer> {
    return this.post(await this.pageFor(path));
  }

  #cookieHeader(path: string): { cookie?: string } {
    const sent = [...this.#cookies].filter(([, cookie]) => path.startsWith(cookie.path));
    return sent.length === 0 ? {} : { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') };
  }

  #taken(answer: HttpAnswer): HttpAnswer {
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [pair = '', ...attributes] = line.split('; ');
      const split = pair.indexOf('=');
      const name = pair.slice(0, split);
      const path = attributes.find((attribute) => attribute.startsWith('Path='))?.slice('Path='.length) ?? '/';
      if (!isTaken(name, path, attributes)) continue;
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, { value: pair.slice(split + 1), path });
    }
    return answer;
  }
}

/** Gives the provider the metadata that the gateway serves; `options` say how to reach the gateway. */
export const introduce = async (
  provider: LiveSamlProvider,
  port: number,
  options: Pick<HttpCall, 'tls'> = {},
): Promise<void> => {
  const { status, body } = await call(port, { path: '/saml/metadata', ...options });
  if (status !== 200) throw new Error(`no metadata, but ${status}: ${body}`);
  provider.trust(body);
};
