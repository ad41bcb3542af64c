import type { HeaderList } from '../../../domain/http/header-list.js';

/** A request as a user describes it. */
export interface DescribedRequest {
  readonly method: string;
  readonly url: RequestUrl;
  /** As given, without Host unless the user named it. */
  readonly headers: HeaderList;
  /** The peer of the connection. */
  readonly peerAddress: string;
}

/** A URL, split. */
export interface RequestUrl {
  /** Null: a path alone, for the first listener. */
  readonly scheme: 'http' | 'https' | null;
  /** Null: a path alone. */
  readonly authority: string | null;
  /** Path and query, as a client sends them. */
  readonly target: string;
}

/** Splits a URL without changing its path. Null: it is neither an http URL nor a path. */
export const splitUrl = (text: string): RequestUrl | null => {
  const withoutFragment = text.replace(/#.*$/, '');
  if (withoutFragment.startsWith('/')) return { scheme: null, authority: null, target: withoutFragment };
  const [, scheme = '', authority = '', rest = ''] = /^(https?):\/\/([^/?]+)(.*)$/i.exec(withoutFragment) ?? [];
  if (authority === '') return null;
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  return { scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http', authority, target };
};
